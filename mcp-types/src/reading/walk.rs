//! Copies a value without the parts that do not fit, guided by the table of types.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Misfit, well_formed};
use crate::integer_digits;
use crate::{FieldInfo, JsonObject, RawJsonRef, RequestId, Revision, TypeInfo, VariantInfo};

/// Optional members that can't be left out without changing the meaning of the value.
const DECIDING: [&str; 4] = ["inputRequests", "isError", "requestState", "resultType"];

/// Strings that later messages repeat, so their characters must not be replaced.
const REPEATED: &str = "elicitationId id name nextCursor protocolVersion requestState taskId \
    toolUseId uri uriTemplate url";

/// For each revision, finders for the names of members that the revision's types lack.
static FOREIGN: LazyLock<Vec<Vec<Finder<'static>>>> =
    LazyLock::new(|| Revision::ALL.into_iter().map(foreign).collect());

fn foreign(revision: Revision) -> Vec<Finder<'static>> {
    let fields = |info: &'static TypeInfo| info.fields.iter().map(move |field| (info, field));
    let fields = Revision::types().iter().flat_map(fields);
    let fields = fields.filter(|(info, field)| !is_known(info, field, revision));
    let names = fields.map(|(_, field)| format!("\"{}\"", field.name.replace('/', "\\/")));
    let plain = names.flat_map(|name| [name.replace("\\/", "/"), name]);
    // Names are ASCII, so an escape of an ASCII character may be a part of a name.
    let texts: BTreeSet<_> = plain.chain(["\\u00".to_owned()]).collect();
    texts
        .iter()
        .map(|text| Finder::new(text).into_owned())
        .collect()
}

/// Returns false only if no member of another revision occurs in `json`.
pub(super) fn may_be_foreign(json: &str, revision: Revision) -> bool {
    let mut names = FOREIGN.get(revision.index()).into_iter().flatten();
    names.any(|name| name.find(json.as_bytes()).is_some())
}

/// Returns true if a message of `revision` can have the field. A type that the revision lacks can have
/// all its fields.
fn is_known(info: &TypeInfo, field: &FieldInfo, revision: Revision) -> bool {
    field.revisions.contains(revision) || !info.revisions.contains(revision)
}

/// Returns the kind of a variant's value, or of the parameters of a message; empty in a string enum.
fn payload(variant: &VariantInfo) -> &'static str {
    let method = || Revision::method(variant.value?);
    match variant.kind {
        "" => method().map_or("", |method| method.types.0),
        kind => kind,
    }
}

type Outcome = Result<(), Misfit>;

pub(super) struct Walk {
    revision: Revision,
    pub(super) text: String,
    pub(super) misfits: Vec<Misfit>,
    /// The path of the part that is being copied.
    path: String,
    /// The name of the list entry that is being copied.
    entry: Option<String>,
}

impl Walk {
    pub(super) fn new(revision: Revision) -> Self {
        Self {
            revision,
            text: String::new(),
            misfits: Vec::new(),
            path: String::new(),
            entry: None,
        }
    }

    pub(super) fn misfit(&self, reason: impl Into<String>) -> Misfit {
        Misfit {
            path: self.path.trim_start_matches('.').to_owned(),
            entry: self.entry.clone(),
            reason: reason.into(),
            ..Misfit::default()
        }
    }

    /// Creates a misfit for a value that is not of the expected kind.
    fn unlike(&self, expected: &str, json: RawJsonRef<'_>) -> Misfit {
        let found = match json.get().as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        };
        if expected.ends_with(found) {
            self.misfit(format!("{expected} can't be read"))
        } else {
            self.misfit(format!("must be {expected}, not {found}"))
        }
    }

    /// Copies a value of a [kind](FieldInfo::kind).
    pub(super) fn value(&mut self, json: RawJsonRef<'_>, kind: &str) -> Outcome {
        if let Some(kind) = kind.strip_suffix('?') {
            let is_absent = json.get() == "null";
            return self.value(json, if is_absent { "any" } else { kind });
        }
        if let Some(item) = kind.strip_suffix("[]") {
            return self.list(json, item, false);
        }
        if let Some(one) = kind.strip_suffix('+') {
            return if json.get().starts_with('[') {
                self.list(json, one, false)
            } else {
                self.value(json, one)
            };
        }
        if let Some(item) = kind.strip_suffix("{}").filter(|item| *item != "value") {
            return self.map(json, item);
        }
        match Revision::type_info(kind) {
            None => self.leaf(json, kind),
            Some(info) if info.variants.is_empty() => self.object(json, info),
            Some(info) => self.variant(json, info),
        }
    }

    /// Copies a value whose parts are not in the table.
    fn leaf(&mut self, json: RawJsonRef<'_>, kind: &str) -> Outcome {
        let text = match kind {
            "object" | "value{}" => well_formed(object(json).get()),
            _ => well_formed(json.get()),
        };
        let is_integer = || integer_digits(&text).is_some_and(|it| it.parse::<i128>().is_ok());
        let is_natural = || integer_digits(&text).is_some_and(|it| it.parse::<u64>().is_ok());
        let (fits, expected) = match kind {
            "string" => (text.starts_with('"'), "a string"),
            "boolean" => (fits::<bool>(&text), "true or false"),
            "number" => (fits::<f64>(&text), "a number"),
            "integer" => (is_integer(), "an integer of at most 128 bits"),
            "natural" => (is_natural(), "an integer from 0 of at most 64 bits"),
            "limited" if text.starts_with('-') => (fits::<f64>(&text), "an integer"),
            "limited" => (is_integer(), "an integer"),
            "object" => (text.starts_with('{'), "an object"),
            "value{}" => (fits::<JsonObject>(&text), "an object"),
            "RequestId" | "ProgressToken" => (fits::<RequestId>(&text), "a string or an integer"),
            _ => (true, ""),
        };
        if !fits {
            return Err(self.unlike(expected, json));
        }
        self.text.push_str(&text);
        Ok(())
    }

    /// Copies a list. Items that do not fit are left out if `may_lack` is true.
    fn list(&mut self, json: RawJsonRef<'_>, item: &str, may_lack: bool) -> Outcome {
        let elements = json.elements().map_err(|_| self.unlike("a list", json))?;
        self.text.push('[');
        for (index, element) in elements.into_iter().enumerate() {
            let is_entry = may_lack && self.entry.is_none();
            if is_entry {
                let mut names = ["name", "uri", "uriTemplate", "taskId"].iter();
                self.entry = names.find_map(|name| element.member(name)?.parse().ok());
            }
            let place = format!("[{index}]");
            let written = self.part("", &place, may_lack, |walk| walk.value(element, item));
            if is_entry {
                self.entry = None;
            }
            written?;
        }
        self.text.push(']');
        Ok(())
    }

    /// Copies an object that is used as a map.
    fn map(&mut self, json: RawJsonRef<'_>, item: &str) -> Outcome {
        let members = self.members(json)?;
        self.text.push('{');
        for (name, value) in members {
            self.member(&name, false, |walk| walk.value(value, item))?;
        }
        self.text.push('}');
        Ok(())
    }

    fn object(&mut self, json: RawJsonRef<'_>, info: &TypeInfo) -> Outcome {
        let members = self.members(json)?;
        let is_page = self.path.is_empty() && info.fields.iter().any(|it| it.name == "nextCursor");
        let mut seen = Vec::new();
        self.text.push('{');
        for (name, value) in members {
            let Some(field) = info.fields.iter().find(|field| field.name == name) else {
                let text = well_formed(value.get());
                if fits::<Value>(&text) {
                    self.member(&name, false, |walk| walk.leaf(value, "any"))?;
                }
                continue;
            };
            let is_absent = value.get() == "null" && !field.kind.starts_with("any");
            if is_absent || !is_known(info, field, self.revision) {
                continue;
            }
            let is_optional = field.kind.ends_with('?') && !DECIDING.contains(&field.name);
            let is_again = seen.contains(&field.name);
            seen.push(field.name);
            self.member(&name, is_optional || is_again, |walk| {
                let is_repeated = REPEATED.split(' ').any(|it| it == field.name);
                let is_repeated = is_repeated && info.name != "Implementation";
                if is_again {
                    return Err(walk.misfit("the member occurs twice"));
                }
                if is_repeated && matches!(well_formed(value.get()), Cow::Owned(_)) {
                    return Err(walk.misfit("has a half of a surrogate pair"));
                }
                match field.kind.trim_end_matches('?').strip_suffix("[]") {
                    Some(item) => walk.list(value, item, is_page || is_optional),
                    None => walk.value(value, field.kind),
                }
            })?;
        }
        let required = |field: &&FieldInfo| !field.kind.ends_with(['?', '\'']);
        for field in info.fields.iter().filter(required) {
            let is_missing = !seen.contains(&field.name);
            let has_structured = seen.contains(&"structuredContent");
            if is_missing && field.name == "content" && has_structured {
                self.member("content", false, |walk| {
                    walk.text.push_str("[]");
                    Ok(())
                })?;
            } else if is_missing {
                self.member(field.name, false, |walk| Err(walk.misfit("missing")))?;
            }
        }
        self.text.push('}');
        Ok(())
    }

    /// Copies a value of a union or a string enum.
    fn variant(&mut self, json: RawJsonRef<'_>, info: &TypeInfo) -> Outcome {
        let variants = || info.variants.iter();
        if variants().all(|it| payload(it).is_empty()) {
            return self.leaf(json, "string");
        }
        if variants().all(|it| it.kind.is_empty()) {
            return self.message(json, info);
        }
        let types = variants().map(|it| Revision::type_info(it.kind));
        let Some(types) = types.collect::<Option<Vec<_>>>() else {
            // Such a union keeps values that match none of its variants.
            return self.leaf(json, "any");
        };
        let members = self.members(json)?;
        let json = object(json);
        let fits = types
            .iter()
            .filter_map(|info| Some((fit(info, &members)?, *info)));
        let mut fits: Vec<_> = fits.collect();
        fits.sort_by_key(|(fit, _)| std::cmp::Reverse(*fit));
        let best = fits.first().map(|(fit, _)| *fit);
        fits.retain(|(fit, _)| Some(*fit) == best);
        match (&fits[..], best) {
            // The variants can't be distinguished.
            ([_, _, ..], Some((_, ..0, _))) | ([], _) => {}
            _ => return self.first_object(json, fits.into_iter().map(|(_, info)| info)),
        }
        // An unknown variant is kept, but it must have a tag.
        let mut fields = types.iter().flat_map(|info| info.fields);
        if let Some(tag) = fields.find(|field| field.kind.starts_with('\'')) {
            let text = self.text.len();
            let value = members.iter().find(|(name, _)| name == tag.name);
            self.member(tag.name, false, |walk| match value {
                Some((_, value)) => walk.leaf(*value, "string"),
                None => Err(walk.misfit("missing")),
            })?;
            self.text.truncate(text);
        }
        self.leaf(json, "any")
    }

    /// Copies an object as the first of several types that it fits.
    fn first_object<'a>(
        &mut self,
        json: RawJsonRef<'_>,
        types: impl Iterator<Item = &'a TypeInfo>,
    ) -> Outcome {
        let text = self.text.len();
        let misfits = self.misfits.len();
        let mut first = None;
        for info in types {
            match self.object(json, info) {
                Ok(()) => return Ok(()),
                Err(misfit) => first = first.or(Some(misfit)),
            }
            self.text.truncate(text);
            self.misfits.truncate(misfits);
        }
        Err(first.unwrap_or_else(|| self.unlike("an object", json)))
    }

    /// Copies a message without its envelope.
    fn message(&mut self, json: RawJsonRef<'_>, info: &TypeInfo) -> Outcome {
        self.members(json)?;
        let method = json
            .member("method")
            .and_then(|json| json.parse::<String>().ok());
        let Some(method) = method else {
            return self.member("method", false, |walk| Err(walk.misfit("must be a string")));
        };
        let mut variants = info.variants.iter();
        let Some(variant) = variants.find(|it| it.value == Some(&method)) else {
            return self.leaf(json, "any");
        };
        let params = json.member("params").unwrap_or(RawJsonRef::empty_object());
        self.text.push_str(&format!("{{\"method\":\"{method}\""));
        self.member("params", false, |walk| walk.value(params, payload(variant)))?;
        self.text.push('}');
        Ok(())
    }

    fn members<'a>(&self, json: RawJsonRef<'a>) -> Result<Vec<(String, RawJsonRef<'a>)>, Misfit> {
        let members = object(json).members();
        members.map_err(|_| self.unlike("an object", json))
    }

    /// Copies a member of an object. A member that does not fit is left out if `may_lack` is true.
    fn member(
        &mut self,
        name: &str,
        may_lack: bool,
        write: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        let key = Value::from(name).to_string() + ":";
        self.part(&key, &format!(".{name}"), may_lack, write)
    }

    /// Copies a part of a list or object, after `key`.
    fn part(
        &mut self,
        key: &str,
        place: &str,
        may_lack: bool,
        write: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        let text = self.text.len();
        let path = self.path.len();
        if !self.text.ends_with(['[', '{']) {
            self.text.push(',');
        }
        self.text.push_str(key);
        self.path.push_str(place);
        let mut written = write(self);
        if let Err(misfit) = &mut written
            && may_lack
        {
            misfit.left_out = self.path.trim_start_matches('.').to_owned();
            self.misfits.push(misfit.clone());
            self.text.truncate(text);
            written = Ok(());
        }
        self.path.truncate(path);
        written
    }
}

fn fits<T: DeserializeOwned>(json: &str) -> bool {
    serde_json::from_str::<T>(json).is_ok()
}

/// Replaces an empty list with an empty object.
fn object(json: RawJsonRef<'_>) -> RawJsonRef<'_> {
    if json.elements().is_ok_and(|elements| elements.is_empty()) {
        RawJsonRef::empty_object()
    } else {
        json
    }
}

/// Rates how well an object fits a type, by the constants that it has, the required members that it
/// lacks, and the members that it has. Returns `None` if a constant differs.
fn fit(info: &TypeInfo, members: &[(String, RawJsonRef<'_>)]) -> Option<(usize, i64, usize)> {
    let mut constants = 0;
    let mut lacks = 0;
    let mut present = 0;
    for field in info.fields {
        let value = members.iter().find(|(name, _)| name == field.name);
        match (field.kind.strip_prefix('\''), value) {
            (Some(constant), value) => {
                let value = value?.1.parse::<String>().ok()?;
                (value == constant.trim_end_matches('\'')).then_some(())?;
                constants += 1;
            }
            (None, Some(_)) => present += 1,
            (None, None) => lacks -= i64::from(!field.kind.ends_with('?')),
        }
    }
    Some((constants, lacks, present))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_revisions_are_found() {
        for name in [
            r#""resultType""#,
            r#""icons""#,
            r#""execution""#,
            r#""\u0072esultType""#,
        ] {
            assert!(may_be_foreign(name, Revision::V2025_06_18), "{name}");
        }
        assert!(!may_be_foreign(
            r#""content" "inputSchema""#,
            Revision::V2025_06_18
        ));
        // The requests for sampling have `tools`, so a list of tools is also walked.
        assert!(may_be_foreign(r#""tools""#, Revision::V2025_06_18));
        assert!(may_be_foreign(r#""annotations""#, Revision::V2024_11_05));
        assert!(may_be_foreign(r#""execution""#, Revision::V2026_07_28));
        assert!(!may_be_foreign(r#""resultType""#, Revision::V2026_07_28));
    }
}
