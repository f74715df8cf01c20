"""Marks the results in DIR (one JSON file each) with another implementation of the measure, and compares.

Usage: recall-agrees.py RECALL.PY DIR      RECALL.PY defines score(prefix, continuation, kept)
"""
import collections, glob, importlib.util, json, sys

spec = importlib.util.spec_from_file_location("recall", sys.argv[1])
recall = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recall)
theirs, ours, apart = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter), 0
for name in sorted(glob.glob(f"{sys.argv[2]}/*.json")):
    case = json.load(open(name))
    size = case["budget"]
    key = (case["contestant"], f"{size:4.0%}" if isinstance(size, float) else size)
    marked = recall.score(case["prefix"], case["continuation"], case["kept"])
    own = case["score"]
    apart += any(marked[a] != own[b] for a, b in (("need", "need"), ("held", "held"), ("bindable", "bindable"), ("bound", "bound")))
    theirs[key] += marked
    ours[key] += collections.Counter({k: own[k] for k in ("need", "held", "bindable", "bound")})
for key in sorted(theirs):
    t, o = theirs[key], ours[key]
    print(f"{key[0]:28s} {key[1]:14s}  bound {t['bound'] / max(1, t['bindable']):6.1%} (here {o['bound'] / max(1, o['bindable']):6.1%})  held {t['held'] / t['need']:6.1%} (here {o['held'] / o['need']:6.1%})")
print("cases marked differently:", apart)
