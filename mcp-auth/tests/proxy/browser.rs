//! A browser that keeps cookies and does not follow redirects automatically.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use mcp_runtime::transport::http_client::AuthHttp;

pub struct Browser {
    http: AuthHttp,
    pub cookies: BTreeMap<String, String>,
}

/// A page or a redirect.
#[derive(Debug)]
pub struct Page(Response<Bytes>);

impl Browser {
    pub fn new() -> Self {
        Self {
            http: AuthHttp::trusted([]).unwrap(),
            cookies: BTreeMap::new(),
        }
    }

    pub async fn get(&mut self, url: &str) -> Page {
        self.send(Request::get(url).body(String::new()).unwrap())
            .await
    }

    /// Sends a form as a page of the same site with the referrer policy `no-referrer` would.
    pub async fn post(&mut self, url: &str, form: &[(&str, &str)]) -> Page {
        let request = Request::post(url)
            .header("origin", "null")
            .header("content-type", "application/x-www-form-urlencoded");
        self.send(request.body(encoded(form)).unwrap()).await
    }

    async fn send(&mut self, mut request: Request<String>) -> Page {
        let pairs = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let cookies = pairs.collect::<Vec<_>>().join("; ");
        if !cookies.is_empty() {
            let cookies = HeaderValue::from_bytes(cookies.as_bytes()).unwrap();
            request.headers_mut().insert("cookie", cookies);
        }
        let response = self.http.send(request).await.unwrap();
        for cookie in response.headers().get_all("set-cookie") {
            let cookie = cookie.to_str().unwrap();
            assert!(
                cookie.starts_with("__Host-")
                    && cookie.ends_with("Path=/; Secure; HttpOnly; SameSite=Lax"),
                "{cookie}"
            );
            let (name, rest) = cookie.split_once('=').unwrap();
            let (value, rest) = rest.split_once(';').unwrap();
            assert!(name.len() + value.len() <= 4096);
            if rest.contains("Max-Age=0;") {
                drop(self.cookies.remove(name));
            } else {
                drop(self.cookies.insert(name.to_owned(), value.to_owned()));
            }
        }
        Page(response)
    }
}

impl Page {
    pub fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        Some(self.0.headers().get(name)?.to_str().unwrap())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(self.0.body()).unwrap()
    }

    /// The target of a redirect.
    pub fn location(&self) -> &str {
        let location = self.header("location");
        location.unwrap_or_else(|| panic!("no redirect: {self:?}"))
    }

    /// A parameter of the target of a redirect.
    pub fn parameter(&self, name: &str) -> Option<String> {
        parameter(self.location(), name)
    }

    /// The hidden field of the consent page's form.
    pub fn sealed(&self) -> &str {
        let (_, rest) = self.text().split_once("name=\"login\" value=\"").unwrap();
        rest.split('"').next().unwrap()
    }
}

/// A parameter of a URL's query.
pub fn parameter(url: &str, name: &str) -> Option<String> {
    let (_, query) = url.split_once('?')?;
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let found = pairs.find(|(it, _)| it == name);
    found.map(|(_, value)| value.into_owned())
}

pub fn encoded(pairs: &[(&str, &str)]) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(pairs).finish()
}
