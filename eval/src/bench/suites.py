"""Runs public suites for compaction, each installed by its name, and has their compactions made by the process that started this one.

One JSON request on the first line of standard input. While a suite runs, one JSON question a line on standard output and one JSON
answer a line on standard input: {"compactor": "precis", "turns": [["user", "..."], ...], "budget": 1200} -> {"text": "..."}.
The last line on standard output is {"result": ...}. Nothing of a suite is patched.
"""

import importlib.util
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

OUT = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

# A tool exchange of the sessions of an agent's size, of about 440 tokens.
LINES_PER_RESULT = 24


def say(value):
    OUT.write(json.dumps(value) + "\n")
    OUT.flush()


def made_by(name):
    """A class of compactors for the kit, whose work the other process does."""
    from compaction_kit.compacted import CompactedContext

    class Outside:
        def __init__(self):
            self.name = name

        def compact(self, turns, round_num=1, budget_chars=None):
            say({"compactor": name, "turns": [[turn.role, turn.text] for turn in turns], "budget": budget_chars})
            return CompactedContext(json.loads(sys.stdin.readline())["text"], name, round_num)

    return Outside


def references():
    """The kit's own compactors, which know the words of its rules."""
    from compaction_kit.compactors import UpdateAwareChecklistCompactor
    from compaction_kit.semantic import SemanticChecklistCompactor

    return {"the kit's semantic checklist": SemanticChecklistCompactor, "the kit's checklist": UpdateAwareChecklistCompactor}


def kit(request):
    """The kit's own benchmark, in its own small sessions."""
    from compaction_kit.benchmark import run_budget_benchmark

    factories = {**{name: made_by(name) for name in request["compactors"]}, **references()}
    payload = run_budget_benchmark(factories, budgets=request["budgets"], seeds=request["seeds"], rounds=request["rounds"])
    return {"version": version("compaction-conformance-kit"), "entries": payload["entries"]}


def work(number):
    """What an agent does between two things that a person says."""
    path = f"src/module_{number}.py"
    body = [f"{path}:{line}: value_{number}_{line} = compute(step={line}, of={number * 7 + line})" for line in range(LINES_PER_RESULT)]
    from compaction_kit.session import Turn

    return [Turn("assistant", f"I look at {path} now."), Turn("tool", "\n".join(body))]


def grown(session, chars):
    """The same session with tool exchanges between its turns, until it has that many characters."""
    from compaction_kit.session import SeededSession

    turns = list(session.turns)
    have = sum(len(turn.text) + 12 for turn in turns)
    each = sum(len(turn.text) + 12 for turn in work(100))
    count = max(0, (chars - have) // each)
    places = [at for at, turn in enumerate(turns) if turn.role == "assistant"]
    made, number = [], 0
    for at, turn in enumerate(turns):
        made.append(turn)
        if turn.role == "assistant":
            due = count * (places.index(at) + 1) // len(places)
            while number < due:
                number += 1
                made.extend(work(number))
    return SeededSession(turns=tuple(made), canary_positions={})


def scaled(request):
    """The kit's canaries and its superseded values in sessions of an agent's size."""
    from compaction_kit.corpus import build_random_session
    from compaction_kit.runner import run_conformance
    from compaction_kit.semantic_corpus import build_semantic_session

    result = {}
    for name, factory in {**{name: made_by(name) for name in request["compactors"]}, **references()}.items():
        held = canaries_all = latest = resolved = conflicts = over = 0
        for seed in request["seeds"]:
            session, canaries = build_random_session(seed)
            run = run_conformance(grown(session, request["chars"]), factory(), rounds=1, canaries=canaries, budget_fraction=request["budget"])
            held += sum(run.rounds[-1].survived.values())
            canaries_all += len(canaries)
            over += not run.rounds[-1].within_budget
            session, canaries, meta = build_semantic_session(seed)
            run = run_conformance(grown(session, request["chars"]), factory(), rounds=1, canaries=canaries, budget_fraction=request["budget"])
            text = run.rounds[-1].context.text.lower()
            over += not run.rounds[-1].within_budget
            for canary in (one for one in canaries if one.id in meta["conflicts"]):
                is_latest = all(token.lower() in text for token in canary.required_tokens)
                is_stale = any(token.lower() in text for token in canary.superseded_tokens)
                conflicts += 1
                latest += is_latest
                resolved += is_latest and not is_stale
        result[name] = {"held": held, "canaries": canaries_all, "latest": latest, "resolved": resolved, "conflicts": conflicts, "overBudget": over}
    return result


def constraints(_):
    """COMPINT's side constraints. The package itself loads a client for models; the constraints are a file of it."""
    folder = importlib.util.find_spec("conpact").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("conpact_constraints", Path(folder) / "constraints.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rendered = [module.render_sc(one["sc"], strict=False, direct=True) for one in module.SCS]
    return {"version": version("conpact"), "constraints": rendered}


def audit(request):
    """compact-audit's surface items of a transcript, and how many of them each result holds."""
    from compact_audit.audit import audit as audited
    from compact_audit.extract import extract

    items = extract([line for line in request["lines"] if line.strip()])
    result = {}
    for name, text in request["texts"].items():
        report = audited(items, text)
        result[name] = {"kept": report["kept"], "items": report["total_items"]}
    return {"version": version("compact-audit"), "result": result}


SUITES = {"kit": kit, "scaled": scaled, "constraints": constraints, "audit": audit}

first = json.loads(sys.stdin.readline())
say({"result": SUITES[first["suite"]](first)})
