"""What a person does with a page, done in a real browser.

python browser/test_pages.py FOLDER    where FOLDER was filled by the example `browser_pages`
"""
import os
import sys
import unittest

if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]):
    os.environ["KETBRA_PAGES"] = sys.argv.pop(1)

from test_editing import *  # noqa: E402, F403
from test_networks import *  # noqa: E402, F403
from test_sweeps import *  # noqa: E402, F403
from test_training import *  # noqa: E402, F403
from test_web import *  # noqa: E402, F403

if __name__ == "__main__":
    outcome = unittest.main(verbosity=2, exit=False).result
    bad = len({str(test).split(" (")[0] for test, _ in outcome.failures + outcome.errors})
    # In cargo's words, so that `check` counts these tests as it counts the others.
    left_out = len(outcome.skipped)
    print(f"test result: {'FAILED' if bad else 'ok'}. {outcome.testsRun - bad - left_out} passed; {bad} failed; {left_out} ignored")
    sys.exit(bad > 0)
