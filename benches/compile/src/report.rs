//! Prints the measurements as a table.

use crate::measure::{Sample, Stage};

pub(crate) fn print(profile: &str, samples: &[Sample]) {
    println!("\n{profile}: seconds worked (passed)");
    let mut names: Vec<&str> = samples.iter().map(|sample| sample.project).collect();
    names.sort_unstable();
    names.dedup();
    print!("{:30}", "");
    names.iter().for_each(|name| print!("{name:>22}"));
    println!();
    for stage in Stage::ALL {
        print!("{:30}", name(stage));
        for name in &names {
            let of_it = |sample: &&Sample| sample.project == *name && sample.stage == stage;
            let found: Vec<&Sample> = samples.iter().filter(of_it).collect();
            let worked = median(found.iter().map(|sample| sample.worked));
            let passed = median(found.iter().map(|sample| sample.passed));
            print!("{:>22}", format!("{worked:.2} ({passed:.2})"));
        }
        println!();
    }
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Clean => "everything, from nothing",
        Stage::Server => "the server alone",
        Stage::Touched => "after a change to one tool",
        Stage::Checked => "the same, checked only",
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
