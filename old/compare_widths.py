import json, os, sys, time, multiprocessing as mp
sys.path.insert(0, "old")
import earnest as en
from benchmarks.claims import widths
import old_plan
NEW = en.plan
END = time.time() + float(os.environ["SECONDS_ALLOWED"]) - 15
def run(task):
    number, place = task
    if time.time() > END: return None
    row = {"place": place, "number": number}
    for name, plan in (("old", old_plan.plan), ("new", NEW)):
        widths.en.plan = plan
        began = time.time()
        try:
            row[name] = widths.measure(place, number, 1)[0]
        except Exception as error:
            row[name + "_error"] = repr(error)[:300]
        row[name + "_s"] = round(time.time() - began, 2)
    return row
if __name__ == "__main__":
    tasks = [(number, place) for number in range(40) for place in range(len(widths.CELLS))]
    out = open(os.path.join(os.environ["OUT"], "widths.jsonl"), "a")
    with mp.Pool(int(os.environ.get("CORES", "16"))) as pool:
        for row in pool.imap_unordered(run, tasks):
            if row is not None:
                out.write(json.dumps(row) + "\n"); out.flush()
