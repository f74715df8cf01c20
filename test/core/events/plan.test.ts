/** The plan that a tool keeps: its items word for word, in the state that the last call gave them. */
import { describe, expect, it } from "vitest";
import { does, eventsIn, run, says, user } from "./session-talk.ts";

const todos = (...items: readonly (readonly [string, string])[]) =>
  does("TodoWrite", { todos: items.map(([content, status]) => ({ content, status })) }, "ok");

describe("a plan", () => {
  it.each([
    ["completed", "done"],
    ["cancelled", "done"],
    ["deleted", "done"],
    ["in_progress", "doing"],
    ["in-progress", "doing"],
    ["active", "doing"],
    ["pending", "open"],
    ["", "open"],
    ["blocked", "open"],
  ])("has a step of the status %j as %s", (status, state) => {
    expect(eventsIn(todos(["Write the test", status])).plan).toEqual([{ text: "Write the test", state }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["update_plan", { plan: [{ step: "写测试", status: "pending" }] }],
    ["TodoWrite", { todos: [{ content: "写测试", status: "pending" }] }],
    ["manage_todo_list", { todoList: [{ id: 1, title: "写测试", status: "not-started" }] }],
    ["write_todos", { todos: [{ description: "写测试", status: "pending" }] }],
    ["update_todo_list", { items: [{ task: "写测试", state: "open" }] }],
    ["TaskCreate", { subject: "写测试" }],
  ])("is read from %s", (tool, args) => {
    expect(eventsIn(does(tool, args, "ok")).plan).toEqual([{ text: "写测试", state: "open" }]);
  });

  it("is what the last list says, whatever stood before", () => {
    const { plan } = eventsIn(todos(["a", "pending"], ["b", "pending"]), todos(["b", "completed"], ["c", "pending"]));
    expect(plan).toEqual([
      { text: "b", state: "done" },
      { text: "c", state: "open" },
    ]);
  });

  it("grows by one task, and changes one by its number", () => {
    const create = (subject: string) => does("TaskCreate", { subject }, "Task created");
    const { plan } = eventsIn(
      create("first"),
      create("second"),
      create("third"),
      does("TaskUpdate", { taskId: "2", status: "completed" }, "ok"),
      does("TaskUpdate", { taskId: 3, status: "in_progress" }, "ok"),
      does("TaskUpdate", { taskId: 9, status: "completed" }, "ok"),
      does("TaskGet", { taskId: 1 }, "first"),
    );
    expect(plan.map(({ state }) => state)).toEqual(["open", "done", "doing"]);
  });

  it.each([
    says("My plan:\n1. Write the test\n2. Mend the code"),
    user("Todo: write the test, then mend the code"),
    ...run("cat todo.md", "- [ ] write the test"),
    ...does("think", { thought: "First I write the test, then I mend the code." }, "ok"),
    ...does("TodoWrite", { todos: [] }, "ok"),
  ])("is nothing that was only said or shown: %j", (message) => {
    expect(eventsIn(message).plan).toEqual([]);
  });
});
