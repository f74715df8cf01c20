/** The dashboard: who may see it, where one is, and what is happening. */
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { signIn, signInWith, signOut, whenSignedOut } from "./api.ts";
import { keepListening, useConnected } from "./live.ts";
import { Failed } from "./parts/states.tsx";
import { go, searchHref, useRoute, type Route } from "./route.ts";
import "./style.css";
import { Money } from "./views/money.tsx";
import { Search } from "./views/search.tsx";
import { Session } from "./views/session.tsx";
import { Sessions } from "./views/sessions.tsx";

function App() {
  const [signedIn, setSignedIn] = useState<boolean>();
  useEffect(() => {
    whenSignedOut(() => setSignedIn(false));
    void signIn().then(setSignedIn);
  }, []);
  if (signedIn === undefined) return null;
  return signedIn ? <Dashboard /> : <SignIn onSignedIn={() => setSignedIn(true)} />;
}

function Dashboard() {
  const route = useRoute();
  useEffect(() => {
    const abort = new AbortController();
    void keepListening(abort.signal);
    return () => abort.abort();
  }, []);
  return (
    <>
      <Header route={route} />
      <View route={route} />
    </>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case "sessions":
      return <Sessions />;
    case "search":
      return <Search words={route.words} />;
    case "money":
      return <Money />;
    case "session": {
      const { session, tab, number } = route;
      return <Session key={`${session.tenant}/${session.id}`} session={session} tab={tab} number={number} />;
    }
  }
}

function Header({ route }: { readonly route: Route }) {
  const connected = useConnected();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusSearch = (event: KeyboardEvent): void => {
      const typing = (event.target as Element).closest("input, textarea, select, dialog") !== null;
      if (event.key !== "/" || typing) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener("keydown", focusSearch);
    return () => removeEventListener("keydown", focusSearch);
  }, []);
  const search = (event: Event): void => {
    event.preventDefault();
    go(searchHref(box.current!.value));
  };
  const current = (view: Route["view"]) => (route.view === view ? { "aria-current": "page" as const } : {});
  return (
    <header>
      <a class="brand" href="#/">
        precis
      </a>
      <nav aria-label="Views">
        <a href="#/" {...current("sessions")}>
          Sessions
        </a>
        <a href="#/money" {...current("money")}>
          Money<span class="wide-only"> and speed</span>
        </a>
      </nav>
      <form role="search" onSubmit={search}>
        <input
          ref={box}
          type="search"
          aria-label="Search everything that was said"
          placeholder="Search everything that was said   /"
          key={route.view === "search" ? route.words : ""}
          defaultValue={route.view === "search" ? route.words : ""}
        />
      </form>
      <span class={connected ? "live" : "live off"} role="status">
        {connected ? "live" : "reconnecting"}
      </span>
      <button type="button" class="quiet" onClick={signOut}>
        Sign out
      </button>
    </header>
  );
}

function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [error, setError] = useState<Error>();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const token = new FormData(event.currentTarget as HTMLFormElement).get("token");
    try {
      await signInWith(String(token));
      onSignedIn();
    } catch (why) {
      setError(why instanceof Error ? why : new Error(String(why)));
    }
  };
  return (
    <main class="sign-in">
      <h1>precis</h1>
      <p>
        The dashboard shows every conversation of this gateway, so it asks for the operator's token. On the gateway's
        machine, <code>precis token --link</code> prints a link that opens it, and <code>precis token</code> prints the
        token.
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          Operator's token
          <input name="token" type="password" autoComplete="off" required />
        </label>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      {error === undefined ? null : <Failed error={error} />}
    </main>
  );
}

render(<App />, document.querySelector("#app")!);
