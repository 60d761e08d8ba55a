//! A hand-written server that shows the lower limit of the cost of a request.

mod answer;
mod http;
mod pipes;

use bench_common::Options;

use answer::Answers;

fn main() -> std::io::Result<()> {
    let options = Options::of_process();
    let answers = Answers::new(options.tools);
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
    };
    match options.http {
        Some(address) => runtime()?.block_on(http::serve(address, answers)),
        None if options.tokio => runtime()?.block_on(pipes::serve_on_tokio(&answers)),
        None => pipes::serve(&answers),
    }
}
