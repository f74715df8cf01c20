/** What the tools of today's agents do, by name: Claude Code, Codex, Gemini CLI, OpenCode, pi, Cline, Cursor, Copilot, SWE-agent, OpenHands, Goose. */

/** What a call is for. */
export type CallAction =
  | "read"
  | "write"
  | "edit"
  | "run"
  | "search"
  | "list"
  | "fetch"
  | "plan"
  | "delegate"
  | "ask"
  | "other";

const NAMES: Readonly<Record<CallAction, string>> = {
  read: "read readfile readfiles readmanyfiles cat view viewfile viewimage open openfile notebookread getfilecontents readmcpresource skill skillview fsread readtextfile readmultiplefiles scrolldown scrollup goto",
  write:
    "write writefile writetofile createfile create savefile fswrite newfile deletefile movefile savememory memory filewrite",
  edit: "edit editfile multiedit strreplace strreplaceeditor strreplacebasededittool texteditor notebookedit patch applypatch applydiff replace replaceinfile replacestringinfile inserteditintofile insert insertcontent searchreplace editblock",
  run: "bash shell sh localshell execcommand exec executecommand executebash runcommand runshellcommand runterminalcmd runinterminal terminal process powershell writestdin bashoutput killshell killbash taskoutput python pythonexec executecode executepython executeipythoncell codeinterpreter ipython runtests shellcommand getterminaloutput runnotebookcell",
  search:
    "grep greppath grepsearch searchfilecontent searchfiles searchfile searchdir codebasesearch semanticsearch rg ripgrep websearch googlewebsearch search searchweb toolsearch searchcode lsp codesearch",
  list: "ls list listdir listdirectory listfiles glob find findfile findfiles filesearch listcodedefinitionnames directorytree tree",
  fetch:
    "webfetch fetch fetchurl fetchwebpage webextract browse browser browsernavigate navigate openurl httprequest curl urlfetch scrape",
  plan: "todowrite todoread todo updateplan think taskcreate taskupdate tasklist taskget managetodolist writetodos plan enterplanmode exitplanmode sequentialthinking updatetodolist",
  delegate:
    "task agent delegate delegatetask newtask spawnagent runsubagent subagent sendmessage dispatchagent handoff transfertohumanagents",
  ask: "askuserquestion askfollowupquestion ask askuser clarify requestuserinput question attemptcompletion planmoderespond",
  other: "submit finish",
};

const ACTION_OF: ReadonlyMap<string, CallAction> = new Map(
  Object.entries(NAMES).flatMap(([action, names]) =>
    names.split(" ").map((name): [string, CallAction] => [name, action as CallAction]),
  ),
);

/** First words of names we have not met: `get_user_details`, `list_issues`. */
const ACTION_OF_VERB: ReadonlyMap<string, CallAction> = new Map(
  Object.entries({
    read: "read view open show cat load",
    write: "write create save delete remove",
    edit: "edit update replace patch modify insert rename",
    run: "run exec execute shell bash terminal",
    search: "search find grep query lookup",
    list: "list ls glob",
    fetch: "fetch get download browse visit navigate",
    plan: "plan think todo",
    delegate: "delegate spawn agent",
    ask: "ask confirm",
  } satisfies Partial<Record<CallAction, string>>).flatMap(([action, verbs]) =>
    verbs.split(" ").map((verb): [string, CallAction] => [verb, action as CallAction]),
  ),
);

/** The action of a tool that is known by name, whatever its spelling: `Read`, `read_file`, `functions.readFile`, `developer__shell`. */
export function actionByName(name: string): CallAction | undefined {
  return ACTION_OF.get(
    bareName(name)
      .replace(/[^\p{L}\p{N}]/gu, "")
      .toLowerCase(),
  );
}

/** The action that the first word of an unknown name suggests. */
export function actionByVerb(name: string): CallAction | undefined {
  const verb = /^\p{Lu}?\p{Ll}+/u.exec(bareName(name))?.[0] ?? "";
  return ACTION_OF_VERB.get(verb.toLowerCase());
}

/** Whether a name says that the tool is a server's: what it answers is never the client's word. */
export function isForeignTool(name: string): boolean {
  return bareName(name) !== name;
}

/** `mcp__server__tool`, `server__tool` and `functions.tool` all end in the tool's own name. */
function bareName(name: string): string {
  const start = name.lastIndexOf("__");
  const tool = start < 0 ? name : name.slice(start + 2);
  return /[^./:]*$/.exec(tool)?.[0] ?? tool;
}

/** Calls that change nothing that outlives the session. */
export const LOOKING: ReadonlySet<CallAction> = new Set<CallAction>(["read", "search", "list", "fetch", "plan"]);
