//! A substitute for the person's browser.

use http::Uri;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A response.
#[derive(Clone, Debug)]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// The unparsed `Location` header.
    pub location: Option<String>,
    /// The response body.
    pub text: String,
}

/// Sends a GET request to an `http` URL without following redirects.
///
/// # Panics
///
/// If there is no response.
pub async fn get(url: &str) -> Page {
    send("GET", url, "Accept: text/html\r\n", "").await
}

/// Posts a form, with additional headers that each end with `\r
/// `.
///
/// # Panics
///
/// If there is no response.
pub async fn post(url: &str, headers: &str, form: &[(&str, &str)]) -> Page {
    let form = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form)
        .finish();
    let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
    send("POST", url, &format!("{kind}{headers}"), &form).await
}

async fn send(method: &str, url: &str, headers: &str, body: &str) -> Page {
    let uri: Uri = url.parse().expect("a URL");
    let authority = uri.authority().expect("an authority").as_str();
    let address = authority.replace("localhost", "127.0.0.1");
    let mut stream = TcpStream::connect(address).await.expect("a server");
    let target = uri.path_and_query().map_or("/", |it| it.as_str());
    let length = body.len();
    let request = format!(
        "{method} {target} HTTP/1.0\r\nHost: {authority}\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    );
    stream
        .write_all(request.as_bytes())
        .await
        .expect("a server");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    let answer = String::from_utf8_lossy(&answer);
    let (head, text) = answer.split_once("\r\n\r\n").expect("an answer of HTTP");
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let location = lines.find(|(name, _)| name.eq_ignore_ascii_case("location"));
    Page {
        status: status.expect("a status"),
        location: location.map(|(_, value)| value.to_owned()),
        text: text.to_owned(),
    }
}

/// Sends a GET request and follows up to five redirects to absolute URLs.
///
/// # Panics
///
/// If there is no response.
pub async fn visit(url: &str) -> Page {
    let mut page = get(url).await;
    for _ in 0..5 {
        let Some(location) = &page.location else {
            break;
        };
        page = get(location).await;
    }
    page
}
