//! Outputs of test runners, and what they prove.

use charrette_model::implement::runner::read_test_counts;
use charrette_model::implement::verdict::is_build_failure;
use charrette_model::implement::{
    GreenState, Proof, ProofRun, ProofStrength, ProofVerdict, RedState, TestOutcome, judge_green, judge_red,
    read_test,
};

use TestOutcome::{Failed, NotRun, Passed, Unknown};

#[track_caller]
fn reads(output: &str, expected: &[(&str, TestOutcome)]) {
    for (name, outcome) in expected {
        let reading = read_test(output, name);
        assert_eq!(reading.outcome, *outcome, "{name}: {reading:?}\n{output}");
    }
}

#[track_caller]
fn counts(output: &str, passed: u64, failed: u64, skipped: u64) {
    let found = read_test_counts(output).map(|counts| (counts.passed, counts.failed, counts.skipped));
    assert_eq!(found, Some((passed, failed, skipped)), "{output}");
}

const CARGO: &str = "   Compiling limits v0.1.0 (/w)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.31s\n     Running unittests src/lib.rs (target/debug/deps/limits-3f2)\n\nrunning 4 tests\ntest limit::tests::burst ... ok\ntest limit::tests::empty - should panic ... ok\ntest limit::tests::slow ... ignored, needs a network\ntest limit::tests::sweep ... FAILED\n\nfailures:\n\n---- limit::tests::sweep stdout ----\nthread 'limit::tests::sweep' panicked at src/limit.rs:9:5:\nassertion failed\n\nfailures:\n    limit::tests::sweep\n\ntest result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`\n";

#[test]
fn cargo_test() {
    reads(
        CARGO,
        &[
            ("limit::tests::burst", Passed),
            ("burst", Passed),
            ("limit::tests::empty", Passed),
            ("limit::tests::slow", NotRun),
            ("limit::tests::sweep", Failed),
            ("limit::tests::other", NotRun),
        ],
    );
    counts(CARGO, 2, 1, 1);
    let none = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 12 filtered out; finished in 0.00s\n";
    reads(none, &[("burst", NotRun)]);
    counts(none, 0, 0, 0);
    reads(
        "running 1 test\ntest a::b ... printed by the test\nok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n",
        &[("a::b", Passed)],
    );
    reads(
        "test src/lib.rs - limit::take (line 12) ... ok\n",
        &[("src/lib.rs - limit::take (line 12)", Passed)],
    );
}

#[test]
fn nextest() {
    let output = "    Starting 3 tests across 1 binary (2 tests skipped)\n        PASS [   0.005s] limits limit::tests::burst\n        FAIL [   0.011s] (2/3) limits::http wrong_tokens\n  TRY 1 FAIL [   0.002s] limits flaky\n  TRY 2 PASS [   0.002s] limits flaky\n   FLAKY 2/2 [   0.002s] limits flaky\n     TIMEOUT [  60.002s] limits slow\n------------\n     Summary [   0.020s] 4 tests run: 2 passed (1 flaky), 1 failed, 1 timed out, 2 skipped\n";
    reads(
        output,
        &[
            ("limit::tests::burst", Passed),
            ("wrong_tokens", Failed),
            ("flaky", Passed),
            ("slow", Failed),
            ("other", NotRun),
        ],
    );
    counts(output, 2, 2, 2);
    reads(
        "    Starting 0 tests across 0 binaries\n     Summary [   0.000s] 0 tests run: 0 passed, 9 skipped\nerror: no tests to run\n",
        &[("x", NotRun)],
    );
}

#[test]
fn pytest() {
    let verbose = "============ test session starts ============\ncollecting ... collected 5 items\n\ntests/test_a.py::test_b PASSED                       [ 20%]\ntests/test_a.py::T::test_c[1-a b] PASSED             [ 40%]\ntests/test_a.py::test_d FAILED                       [ 60%]\ntests/test_a.py::test_e SKIPPED (no network)         [ 80%]\ntests/test_a.py::test_f XFAIL (later)                [100%]\n\n=========== short test summary info ===========\nFAILED tests/test_a.py::test_d - AssertionError: assert 1 == 2\n=== 1 failed, 2 passed, 1 skipped, 1 xfailed in 0.12s ===\n";
    reads(
        verbose,
        &[
            ("tests/test_a.py::test_b", Passed),
            ("test_b", Passed),
            ("tests/test_a.py::T::test_c", Passed),
            ("tests/test_a.py::test_d", Failed),
            ("test_e", NotRun),
            ("test_f", NotRun),
            ("test_x", NotRun),
            ("tests/other.py::test_b", NotRun),
        ],
    );
    counts(verbose, 2, 1, 2);
    let short = "tests/test_a.py .F                                  [100%]\n\n=== short test summary info ===\nFAILED tests/test_a.py::test_d - assert 1 == 2\n1 failed, 1 passed in 0.03s\n";
    reads(short, &[("tests/test_a.py::test_d", Failed), ("tests/test_a.py::test_b", Unknown)]);
    counts(short, 1, 1, 0);
    counts(
        ".                                                                        [100%]\n1 passed in 0.01s\n",
        1,
        0,
        0,
    );
    reads("1 passed in 0.01s\n", &[("test_b", Unknown)]);
    reads(
        "collected 3 items / 3 deselected / 0 selected\n\n=== 3 deselected in 0.01s ===\n",
        &[("test_b", NotRun)],
    );
    reads(
        "=== no tests ran in 0.00s ===\nERROR: not found: /w/tests/test_a.py::test_b\n",
        &[("test_b", NotRun)],
    );
    reads(
        "[gw0] [ 50%] PASSED tests/test_a.py::test_b \n[gw1] [100%] FAILED tests/test_a.py::test_c \n",
        &[("test_b", Passed), ("test_c", Failed)],
    );
}

#[test]
fn unittest() {
    let output = "test_b (tests.test_a.T.test_b) ... ok\ntest_c (tests.test_a.T) ... FAIL\ntest_d (tests.test_a.T.test_d) ... skipped 'later'\ntest_e (tests.test_a.T.test_e) ... ERROR\n\n======\nFAIL: test_c (tests.test_a.T)\n------\nRan 4 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n";
    reads(
        output,
        &[
            ("tests.test_a.T.test_b", Passed),
            ("tests/test_a.py::T::test_b", Passed),
            ("tests.test_a.T.test_c", Failed),
            ("test_d", NotRun),
            ("test_e", Failed),
            ("test_z", NotRun),
        ],
    );
    assert!(read_test_counts(output).is_some_and(|counts| counts.failed == 2 && counts.executed() >= 3));
    let quiet = "..\n----------------------------------------------------------------------\nRan 2 tests in 0.000s\n\nOK\n";
    counts(quiet, 2, 0, 0);
    reads(quiet, &[("test_b", Unknown)]);
    reads("Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", &[("test_b", NotRun)]);
}

#[test]
fn go_test() {
    let verbose = "=== RUN   TestA\n=== RUN   TestA/sub_case\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub_case (0.00s)\n=== RUN   TestB\n    b_test.go:9: no\n--- FAIL: TestB (0.01s)\n--- SKIP: TestC (0.00s)\nFAIL\nFAIL\texample.com/x\t0.012s\n";
    reads(
        verbose,
        &[
            ("TestA", Passed),
            ("TestA/sub_case", Passed),
            ("TestB", Failed),
            ("TestC", NotRun),
            ("TestD", NotRun),
        ],
    );
    let json = "{\"Action\":\"run\",\"Package\":\"x\",\"Test\":\"TestA\"}\n{\"Action\":\"pass\",\"Package\":\"x\",\"Test\":\"TestA\",\"Elapsed\":0}\n{\"Action\":\"fail\",\"Package\":\"x\",\"Test\":\"TestB\"}\n{\"Action\":\"pass\",\"Package\":\"x\"}\n";
    reads(json, &[("TestA", Passed), ("TestB", Failed)]);
    reads("ok  \texample.com/x\t0.003s [no tests to run]\n", &[("TestA", NotRun)]);
    reads("testing: warning: no tests to run\nPASS\nok  \texample.com/x\t0.003s\n", &[("TestA", Unknown)]);
    reads("ok  \texample.com/x\t0.003s\n?   \texample.com/y\t[no test files]\n", &[("TestA", Unknown)]);
}

#[test]
fn jest_vitest_mocha() {
    let jest = "FAIL src/limit.test.ts\n  Limit\n    ✓ adds two (3 ms)\n    ✕ drops one (1 ms)\n    ○ skipped later\n\n  ● Limit › drops one\n\n    expect(received).toBe(expected)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 1 passed, 3 total\nTime:        0.5 s\n";
    reads(
        jest,
        &[
            ("adds two", Passed),
            ("Limit adds two", Passed),
            ("Limit > adds two", Passed),
            ("Limit drops one", Failed),
            ("later", NotRun),
            ("Other adds two", NotRun),
        ],
    );
    counts(jest, 1, 1, 1);
    let vitest = " RUN  v2.1.0 /w\n\n ✓ src/limit.test.ts > Limit > adds two 3ms\n × src/limit.test.ts > Limit > drops one 5ms\n   → expected 1 to be 2\n ↓ src/limit.test.ts > Limit > later\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed | 1 skipped (3)\n";
    reads(
        vitest,
        &[
            ("adds two", Passed),
            ("src/limit.test.ts > Limit > adds two", Passed),
            ("drops one", Failed),
            ("later", NotRun),
        ],
    );
    counts(vitest, 1, 1, 1);
    let files =
        " ✓ src/limit.test.ts (2 tests) 4ms\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n";
    reads(files, &[("adds two", Unknown)]);
    reads("No test files found, exiting with code 1\n", &[("adds two", NotRun)]);
    reads("No tests found, exiting with code 1\n", &[("adds two", NotRun)]);
    let mocha = "\n  Limit\n    ✔ adds two (12ms)\n    1) drops one\n    - later\n\n\n  1 passing (10ms)\n  1 pending\n  1 failing\n\n  1) Limit\n       drops one:\n     AssertionError\n";
    reads(mocha, &[("adds two", Passed), ("Limit adds two", Passed), ("drops one", Failed)]);
    counts(mocha, 1, 1, 1);
    reads("\n\n  0 passing (1ms)\n", &[("adds two", NotRun)]);
}

#[test]
fn node_and_tap() {
    let spec = "▶ Limit\n  ✔ adds two (0.51ms)\n  ✖ drops one (1.2ms)\n  ﹣ later (0.1ms) # SKIP\n▶ Limit (3ms)\nℹ tests 3\nℹ suites 1\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n";
    reads(
        spec,
        &[("adds two", Passed), ("Limit > adds two", Passed), ("drops one", Failed), ("later", NotRun)],
    );
    counts(spec, 1, 1, 1);
    let tap = "TAP version 13\n# Subtest: adds two\nok 1 - adds two\n  ---\n  duration_ms: 0.5\n  ...\nnot ok 2 - drops one\nok 3 - later # SKIP no network\nnot ok 4 - some day # TODO\n1..4\n# tests 4\n# pass 1\n# fail 1\n# skipped 1\n";
    reads(
        tap,
        &[
            ("adds two", Passed),
            ("drops one", Failed),
            ("later", NotRun),
            ("some day", NotRun),
            ("never", NotRun),
        ],
    );
    reads("TAP version 14\n1..0 # no tests\n", &[("adds two", NotRun)]);
}

#[test]
fn junit() {
    let gradle = "> Task :test\n\ncom.x.LimitTest > adds() PASSED\n\ncom.x.LimitTest > drops() FAILED\n    org.opentest4j.AssertionFailedError at LimitTest.java:9\n\nLimitTest > later() SKIPPED\n\n3 tests completed, 1 failed, 1 skipped\n\n> Task :test FAILED\n";
    reads(
        gradle,
        &[
            ("com.x.LimitTest.adds", Passed),
            ("LimitTest#adds", Passed),
            ("LimitTest.drops", Failed),
            ("later", NotRun),
            ("OtherTest.adds", NotRun),
        ],
    );
    counts(gradle, 1, 1, 1);
    let maven = "[INFO] Running com.x.LimitTest\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.03 s <<< FAILURE! - in com.x.LimitTest\n[ERROR] com.x.LimitTest.drops  Time elapsed: 0.01 s  <<< FAILURE!\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n";
    reads(maven, &[("LimitTest.drops", Failed), ("LimitTest.adds", Unknown)]);
    counts(maven, 1, 1, 0);
    reads(
        "[ERROR] No tests were executed!  (Set -DfailIfNoTests=false to ignore this error.)\n",
        &[("adds", NotRun)],
    );
    let console = "╷\n├─ JUnit Jupiter ✔\n│  └─ LimitTest ✔\n│     ├─ adds() ✔\n│     └─ drops() ✘ expected: <1> but was: <2>\n";
    reads(console, &[("adds", Passed), ("drops", Failed)]);
    let xml = "<testsuite tests=\"3\">\n  <testcase name=\"adds\" classname=\"x.LimitTest\" time=\"0.001\"/>\n  <testcase name=\"drops\" classname=\"x.LimitTest\">\n    <failure message=\"no\">at</failure>\n  </testcase>\n  <testcase classname=\"x.LimitTest\" name=\"later\"><skipped/></testcase>\n</testsuite>\n";
    reads(xml, &[("x.LimitTest.adds", Passed), ("LimitTest.drops", Failed), ("later", NotRun)]);
}

#[test]
fn ruby_and_php_and_others() {
    let rspec = "\nLimit\n  adds two\n  drops one (FAILED - 1)\n  later (PENDING: No reason given)\n\nFailures:\n\n  1) Limit drops one\n     Failure/Error: expect(1).to eq(2)\n\nFinished in 0.01 seconds\n3 examples, 1 failure, 1 pending\n\nFailed examples:\n\nrspec ./spec/limit_spec.rb:7 # Limit drops one\n";
    reads(rspec, &[("Limit drops one", Failed), ("Limit later", NotRun)]);
    counts(rspec, 1, 1, 1);
    counts("0 examples, 0 failures\n", 0, 0, 0);
    reads("0 examples, 0 failures\n", &[("adds", NotRun)]);
    let minitest = "LimitTest#test_adds = 0.00 s = .\nLimitTest#test_drops = 0.01 s = F\nLimitTest#test_later = 0.00 s = S\n\n3 runs, 4 assertions, 1 failures, 0 errors, 1 skips\n";
    reads(minitest, &[("LimitTest#test_adds", Passed), ("test_drops", Failed), ("test_later", NotRun)]);
    counts(minitest, 1, 1, 1);
    let testdox =
        "Limit\n ✔ Adds two\n ✘ Drops one\n ↩ Later\n\nTests: 3, Assertions: 4, Failures: 1, Skipped: 1.\n";
    reads(testdox, &[("Adds two", Passed), ("Drops one", Failed), ("Later", NotRun)]);
    counts(testdox, 1, 1, 1);
    counts("OK (3 tests, 4 assertions)\n", 3, 0, 0);
    reads("No tests executed!\n", &[("testAdds", NotRun)]);
    reads(
        "Test Passed (LimitTest::testAdds)\n1) LimitTest::testDrops\n",
        &[("LimitTest::testAdds", Passed), ("testDrops", Failed)],
    );
    reads(
        "[ RUN      ] Limit.Burst\n[       OK ] Limit.Burst (0 ms)\n[  FAILED  ] Limit.Sweep (1 ms)\n",
        &[("Limit.Burst", Passed), ("Limit.Sweep", Failed)],
    );
    let dotnet = "  Passed Limit.Tests.Adds [1 ms]\n  Failed Limit.Tests.Drops [2 ms]\nFailed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 5 ms\n";
    reads(dotnet, &[("Limit.Tests.Adds", Passed), ("Drops", Failed)]);
    counts(dotnet, 1, 1, 0);
    reads("Segmentation fault\n", &[("adds", Unknown)]);
    reads("", &[("adds", Unknown)]);
    let coloured = "\u{1b}[32mtest a::b ... \u{1b}[0mok\r\n";
    reads(coloured, &[("a::b", Passed)]);
}

fn run(is_green: bool, output: &str) -> ProofRun<'_> {
    ProofRun { is_green, has_ended: true, output }
}

#[test]
fn red_and_green_make_a_verdict() {
    let test = Proof::Test("limit::tests::burst".to_owned());
    let passed = "test limit::tests::burst ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
    let failed = "test limit::tests::burst ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
    let idle = "running 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored; 9 filtered out\n";
    let broken = "error[E0432]: unresolved import `crate::limit`\nerror: could not compile `x` (lib test) due to 1 previous error\n";
    for (is_green, output, red) in [
        (false, failed, RedState::Proven),
        (true, passed, RedState::Green),
        (true, idle, RedState::Absent),
        (false, broken, RedState::NotBuilt),
        (false, "ERROR: not found: tests/a.py::x\n=== no tests ran in 0.0s ===\n", RedState::Absent),
        (false, "1 failed in 0.1s\n", RedState::Proven),
        (true, "1 passed in 0.1s\n", RedState::Green),
        (false, "killed\n", RedState::NotBuilt),
    ] {
        assert_eq!(judge_red(&test, &run(is_green, output)), red, "{output}");
    }
    for (is_green, output, green) in [
        (true, passed, GreenState::Proven),
        (false, passed, GreenState::Failed),
        (false, failed, GreenState::Failed),
        (true, idle, GreenState::NotRun),
        (true, "1 passed in 0.1s\n", GreenState::Counted),
        (true, "done\n", GreenState::Unclear),
        (true, "test other ... ok\ntest result: ok. 1 passed; 0 failed\n", GreenState::NotRun),
        (
            true,
            "test limit::tests::burst ... ignored\ntest result: ok. 0 passed; 0 failed; 1 ignored\n",
            GreenState::NotRun,
        ),
    ] {
        assert_eq!(judge_green(&test, &run(is_green, output)), green, "{output}");
    }
    let ended = ProofRun { is_green: false, has_ended: false, output: "" };
    assert_eq!(
        (judge_red(&test, &ended), judge_green(&test, &ended)),
        (RedState::NotTried, GreenState::Broken)
    );
    assert!(is_build_failure(broken) && !is_build_failure(failed));

    let command = Proof::Command(vec!["make".to_owned()]);
    assert_eq!(judge_green(&command, &run(true, "ok\n")), GreenState::Proven);
    assert_eq!(judge_green(&command, &run(true, "Ran 0 tests in 0.0s\n")), GreenState::NotRun);
    assert_eq!(
        (judge_red(&command, &run(false, "")), judge_red(&command, &run(true, ""))),
        (RedState::Proven, RedState::Green)
    );
    let suite = Proof::Suite(vec![]);
    assert_eq!(
        (judge_red(&suite, &run(true, passed)), judge_green(&suite, &run(true, idle))),
        (RedState::NotTried, GreenState::NotRun)
    );
    assert_eq!(judge_green(&Proof::None("prose".to_owned()), &run(false, "")), GreenState::NotNeeded);

    let verdict = |red, green| ProofVerdict { red, green };
    for (verdict, holds, strength) in [
        (verdict(RedState::Proven, GreenState::Proven), true, ProofStrength::Strong),
        (verdict(RedState::NotBuilt, GreenState::Proven), true, ProofStrength::Weaker),
        (verdict(RedState::Proven, GreenState::Counted), true, ProofStrength::Weaker),
        (verdict(RedState::Green, GreenState::Proven), false, ProofStrength::Weaker),
        (verdict(RedState::Proven, GreenState::NotRun), false, ProofStrength::Weaker),
        (verdict(RedState::Proven, GreenState::Unclear), false, ProofStrength::Weaker),
        (verdict(RedState::NotTried, GreenState::NotNeeded), true, ProofStrength::None),
    ] {
        assert_eq!((verdict.holds(), verdict.strength()), (holds, strength), "{verdict}");
    }
    assert_eq!(
        verdict(RedState::Absent, GreenState::Counted).to_string(),
        "green, but the runner does not name the test; absent before"
    );
}
