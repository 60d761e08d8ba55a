//! Makes a module of a snapshot: `cargo run --example bind -- SNAPSHOT MODULE [NAME]`.

use std::error::Error;
use std::path::Path;

use mcp_bindgen::Bindings;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [snapshot, module, name @ ..] = &arguments[..] else {
        return Err("usage: bind SNAPSHOT MODULE [NAME]".into());
    };
    let (snapshot, module) = (Path::new(snapshot), Path::new(module));
    let mut bindings = Bindings::read(snapshot)?;
    if let Some(name) = name.first() {
        bindings = bindings.name(name);
    }
    let started = std::time::Instant::now();
    let generated = bindings.generate()?;
    eprintln!("{:?}", started.elapsed());
    for note in &generated.notes {
        eprintln!("{note}");
    }
    generated.write(module, snapshot, false)?;
    Ok(())
}
