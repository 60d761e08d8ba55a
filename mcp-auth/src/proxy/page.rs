//! The consent page. It has no scripts, styles or other resources.

use super::client::{Client, Destination};
use super::endpoints::{CONSENT, Endpoints};

/// The question whether a client may have access.
pub(super) fn consent(
    endpoints: &Endpoints,
    client: &Client,
    destination: &Destination,
    scopes: &[String],
    sealed: &str,
) -> String {
    let settings = &endpoints.settings;
    let provider = &endpoints.upstream.provider;
    let [name, place, resource, issuer] = [
        &client.name,
        &destination.name,
        &settings.resource,
        &provider.issuer,
    ]
    .map(|it| escape(it));
    let origin = match &client.host {
        Some(host) => format!("It is described by <strong>{}</strong>.", escape(host)),
        None => "It has given itself this name, which nobody has checked.".to_owned(),
    };
    let warning = ": a program on your computer. Any program there can use this name. Go on only if \
                   you have just started the login in it";
    let warning = if destination.is_loopback { warning } else { "" };
    let asked = list(&provider.scopes);
    let scopes = list(scopes);
    let action = escape(&format!("{}{CONSENT}", endpoints.path));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Allow {name}?</title>\n<h1>Allow {name}?</h1>\n<p><strong>{name}</strong> asks for \
         access to <strong>{resource}</strong> in your name. {origin}</p>\n{scopes}<p>You will be sent \
         to <strong>{place}</strong>{warning}.</p>\n<p>Before, you will log in at \
         <strong>{issuer}</strong>, which this server asks for:</p>\n{asked}<form method=\"post\" \
         action=\"{action}\">\n<input type=\"hidden\" name=\"login\" value=\"{sealed}\">\n<button \
         name=\"decision\" value=\"deny\">Cancel</button>\n<button name=\"decision\" \
         value=\"allow\">Allow</button>\n</form>\n</html>\n"
    )
}

fn list(scopes: &[String]) -> String {
    let items = scopes.iter().map(|it| format!("<li>{}</li>", escape(it)));
    format!("<ul>{}</ul>\n", items.collect::<String>())
}

fn escape(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
