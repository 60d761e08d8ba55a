//! Which variables a child gets to see.

use std::ffi::OsString;

/// Variables that programs need to run and that hold no secrets. Everything else, tokens and keys
/// among it, has to be passed on by name.
const SAFE: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    // Windows.
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// What of `variables` a child may see without being told by name.
pub(super) fn safe(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    variables.filter(|(name, value)| {
        let known = name.to_str().is_some_and(|name| SAFE.contains(&name));
        // A shell would run a value of this form as a function.
        known && !value.to_string_lossy().starts_with("()")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_functions_stay_here() {
        let variables = [
            ("PATH", "/bin"),
            ("API_KEY", "secret"),
            ("TERM", "() { :; }; echo"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let safe: Vec<_> = safe(variables.into_iter()).collect();
        assert_eq!(safe, [("PATH".into(), "/bin".into())]);
    }
}
