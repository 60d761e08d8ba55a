//! Downloads published schemas.

use super::import::Input;
use anyhow::{Context, Result};
use std::time::Duration;

/// Base URL of the public repository's raw files.
pub(super) const BASE_URL: &str =
    "https://raw.githubusercontent.com/modelcontextprotocol/modelcontextprotocol";

/// Time limit of a download.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Downloads a revision's schema at a commit, tag or branch.
pub(super) fn published(base: &str, commit: &str, revision: &str) -> Result<Input> {
    let base = base.trim_end_matches('/');
    download(&format!("{base}/{commit}/schema/{revision}/schema.json"))
}

pub(super) fn download(address: &str) -> Result<Input> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .build()
        .into();
    let bytes = agent
        .get(address)
        .call()
        .and_then(|mut response| response.body_mut().read_to_vec())
        .with_context(|| address.to_owned())?;
    Ok(Input {
        name: address.to_owned(),
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::super::import::Options as ImportOptions;
    use super::super::{Command, run};
    use std::fs;
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    /// Answers one request with `response` and returns its request line.
    fn serve(response: &'static str) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<_> = lines
                .map(Result::unwrap)
                .take_while(|line| !line.is_empty())
                .collect();
            stream.write_all(response.as_bytes()).unwrap();
            head[0].clone()
        });
        (base, server)
    }

    fn fetch(base_url: String) -> Command {
        Command::Fetch {
            revision: "2031-02-03".into(),
            commit: "c0ffee".into(),
            base_url,
            replace: false,
        }
    }

    #[test]
    fn downloads_and_imports() {
        let (base, server) = serve(
            "HTTP/1.1 200 OK\r\nContent-Length: 30\r\nConnection: close\r\n\r\n\
             {\"$defs\":{\"A\":{\"title\":\"A\"}}} ",
        );
        let root = tempfile::tempdir().unwrap();
        run(root.path(), fetch(base)).unwrap();
        assert_eq!(
            server.join().unwrap(),
            "GET /c0ffee/schema/2031-02-03/schema.json HTTP/1.1"
        );
        let stored = fs::read_to_string(root.path().join("schema/2031-02-03.json")).unwrap();
        assert!(stored.contains("\"A\": {}"), "{stored}");
        let record = fs::read_to_string(root.path().join("schema/sources.toml")).unwrap();
        assert!(
            record.contains("/c0ffee/schema/2031-02-03/schema.json\"\n"),
            "{record}"
        );
        assert!(record.contains("commit = \"c0ffee\""), "{record}");
    }

    #[test]
    fn import_takes_an_address_too() {
        let (base, server) = serve(
            "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{\"$defs\":{}}",
        );
        let root = tempfile::tempdir().unwrap();
        let command = Command::Import {
            source: format!("{base}/2031-02-03.json"),
            options: ImportOptions::default(),
        };
        let outcome = run(root.path(), command);
        server.join().unwrap();
        let message = format!("{:#}", outcome.unwrap_err());
        assert!(message.contains("/2031-02-03.json: not JSON"), "{message}");
    }

    #[test]
    fn a_refusal_names_the_address() {
        let (base, server) =
            serve("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        let root = tempfile::tempdir().unwrap();
        let error = run(root.path(), fetch(base.clone())).unwrap_err();
        server.join().unwrap();
        assert_eq!(
            format!("{error:#}"),
            format!("{base}/c0ffee/schema/2031-02-03/schema.json: http status: 404")
        );
    }
}
