//! For any flow: after an edit of one artifact, resuming runs exactly its dependants again.

use crate::stage::{block_on, run};
use charrette_engine::{Artifact, FlowResult, Run, Step};
use charrette_store::workspace::sha256;
use charrette_testkit::Sandbox;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// A flow: groups one after the other; each step of a group reads outputs of earlier groups.
#[derive(Debug, Clone)]
struct Plan {
    groups: Vec<Vec<Vec<usize>>>,
}

impl Plan {
    /// Inputs of each step, by the number of the step.
    fn steps(&self) -> Vec<Vec<usize>> {
        self.groups.iter().flatten().cloned().collect()
    }

    /// Steps that read the output of `edited`, directly or indirectly.
    fn dependants(&self, edited: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([edited]);
        for (n, reads) in self.steps().iter().enumerate() {
            if reads.iter().any(|read| reached.contains(read)) {
                reached.insert(n);
            }
        }
        reached.remove(&edited);
        reached
    }
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let sizes = prop::collection::vec(1_usize..4, 1..5);
    (sizes, any::<u64>()).prop_map(|(sizes, mut seed)| {
        let mut next = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % below
        };
        let mut before = 0;
        let groups = sizes
            .into_iter()
            .map(|size| {
                let group = (0..size)
                    .map(|_| {
                        let reads: BTreeSet<usize> =
                            (0..next(3)).filter(|_| before > 0).map(|_| next(before)).collect();
                        reads.into_iter().collect()
                    })
                    .collect();
                before += size;
                group
            })
            .collect();
        Plan { groups }
    })
}

async fn flow(run: &Run<'_>, plan: &Plan, executed: &Arc<Mutex<BTreeSet<usize>>>) -> FlowResult<()> {
    let phase = run.phase("all");
    let mut first = 0;
    for group in &plan.groups {
        let numbered: Vec<(usize, Vec<usize>)> = (first..).zip(group.iter().cloned()).collect();
        first += group.len();
        phase
            .parallel(
                "group",
                numbered.into_iter().map(|(n, reads)| (n.to_string(), (n, reads))),
                |(n, reads): (usize, Vec<usize>)| {
                    let phase = &phase;
                    async move {
                        let names: Vec<String> = reads.iter().map(|read| format!("out-{read}.md")).collect();
                        let artifacts: Vec<Artifact> = names.iter().map(Artifact::named).collect();
                        let step = Step::new(format!("step/{n}")).reads("request.md").reads(&artifacts);
                        let executed = executed.clone();
                        let body = move |context: charrette_engine::StepContext| async move {
                            executed.lock().unwrap().insert(n);
                            let mut text = format!("{n}");
                            for name in &names {
                                text += &context.text(name)?;
                            }
                            context.write(&format!("out-{n}.md"), sha256(text.as_bytes()))
                        };
                        phase.step(step, body).await
                    }
                },
            )
            .await?;
    }
    phase.finish(None).await
}

/// Drives the flow, from its start or from the record on disk, and returns the executed steps.
fn drive(sandbox: &Sandbox, plan: &Plan) -> BTreeSet<usize> {
    let executed = Arc::new(Mutex::new(BTreeSet::new()));
    block_on(flow(&run(sandbox), plan, &executed)).unwrap();
    std::mem::take(&mut executed.lock().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_dependants_of_an_edit_run_again(plan in any_plan(), which in any::<prop::sample::Index>()) {
        let sandbox = Sandbox::new();
        let all: BTreeSet<usize> = (0..plan.steps().len()).collect();
        prop_assert_eq!(drive(&sandbox, &plan), all.clone());
        prop_assert_eq!(drive(&sandbox, &plan), BTreeSet::new());

        let edited = which.index(all.len());
        let path = sandbox.path(&format!(".specs/x/out-{edited}.md"));
        std::fs::write(&path, "edited by hand").unwrap();
        prop_assert_eq!(drive(&sandbox, &plan), plan.dependants(edited));
        prop_assert_eq!(std::fs::read_to_string(&path).unwrap(), "edited by hand");
        prop_assert_eq!(drive(&sandbox, &plan), BTreeSet::new());

        std::fs::write(sandbox.path(".specs/x/request.md"), "another request").unwrap();
        prop_assert_eq!(drive(&sandbox, &plan), all);
    }
}
