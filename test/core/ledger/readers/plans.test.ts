import { describe, expect, it } from "vitest";
import { describeCall } from "../../../../src/core/digest/call.ts";
import { afterPlanChange, planChangeIn, planIn, type PlanChange } from "../../../../src/core/ledger/readers/plans.ts";

function changeOf(name: string, args: unknown): PlanChange | undefined {
  const text = JSON.stringify(args);
  return planChangeIn(describeCall(name, text), text);
}

describe("a plan kept by a tool", () => {
  it.each([
    [
      "TodoWrite",
      {
        todos: [
          { content: "Write it", status: "completed" },
          { content: "Test it", status: "in_progress" },
          { content: "Ship it", status: "pending" },
        ],
      },
    ],
    [
      "update_plan",
      {
        explanation: "go",
        plan: [
          { step: "Write it", status: "completed" },
          { step: "Test it", status: "in_progress" },
          { step: "Ship it", status: "pending" },
        ],
      },
    ],
  ])("is read whole from %s", (name, args) => {
    expect(changeOf(name, args)).toEqual({
      kind: "replace",
      items: [
        { text: "Write it", state: "done" },
        { text: "Test it", state: "doing" },
        { text: "Ship it", state: "open" },
      ],
    });
  });

  it("grows and changes by single tasks", () => {
    const changes = [
      changeOf("TaskCreate", { subject: "Write it", description: "all of it" }),
      changeOf("TaskCreate", { subject: "Ship it", description: "soon" }),
      changeOf("TaskUpdate", { taskId: "1", status: "completed" }),
    ];
    const items = changes.reduce(
      (list, change) => afterPlanChange(list, change!),
      [] as ReturnType<typeof afterPlanChange>,
    );
    expect(items).toEqual([
      { text: "Write it", state: "done" },
      { text: "Ship it", state: "open" },
    ]);
  });

  it("is nothing where the arguments hold no list, or are no JSON", () => {
    expect(changeOf("TodoRead", {})).toBeUndefined();
    expect(planChangeIn(describeCall("TodoWrite", "{broken"), "{broken")).toBeUndefined();
    expect(changeOf("Bash", { command: "ls", todos: [{ content: "x", status: "pending" }] })).toBeUndefined();
  });
});

describe("a plan in a text", () => {
  it("is a check list", () => {
    expect(planIn("Status:\n- [x] parse\n- [ ] print\n* [~] test")).toEqual([
      { text: "parse", state: "done" },
      { text: "print", state: "open" },
      { text: "test", state: "doing" },
    ]);
  });

  it("is numbered steps under a line that calls them one", () => {
    expect(planIn("My plan:\n1. Add the field\n2. Write the test\n\nShall I start?")?.map(({ text }) => text)).toEqual([
      "Add the field",
      "Write the test",
    ]);
  });

  it("says of a step that is only a heading what is below it first", () => {
    const text =
      "My plan:\n1. **Consolidation**\n   - Review what was found\n   - Twice\n\n2. Write the **test**\n   - for gzip\n3. **Ship it**";
    expect(planIn(text)?.map((item) => item.text)).toEqual([
      "**Consolidation** Review what was found",
      "Write the **test**",
      "**Ship it**",
    ]);
  });

  it.each([
    "Options:\n1. Use A\n2. Use B",
    "Issues found:\n1. A leak\n2. A race",
    "I counted:\n1. one\n2. two",
    "My plan:\n1. Which city?\n2. Which day?",
    "no list at all",
  ])("is not: %s", (text) => {
    expect(planIn(text)).toBeUndefined();
  });
});
