//! URI templates (RFC 6570), limited to those from which a URI can be parsed back.

pub(crate) struct Variable {
    pub(crate) name: String,
    /// Whether a URI may lack the variable.
    pub(crate) is_optional: bool,
}

/// The variables of the template `text`, or the reason why it is not supported.
pub(crate) fn variables(text: &str) -> Result<Vec<Variable>, String> {
    let mut variables = Vec::new();
    let mut rest = text;
    // Whether a value ends here, so that another value needs a separator first.
    let mut open = false;
    while let Some(at) = rest.find(['{', '}']) {
        open &= at == 0;
        let expression = rest[at..]
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'));
        let Some((expression, after)) = expression else {
            return Err("a brace has no counterpart".to_owned());
        };
        let names = expression.strip_prefix(['+', '#', '.', '/', ';', '?', '&']);
        let operator = names.and_then(|_| expression.chars().next());
        let names = names.unwrap_or(expression);
        let is_optional = matches!(operator, Some('?' | '&' | ';'));
        for name in names.split(',') {
            check_name(name)?;
            if variables.iter().any(|known: &Variable| known.name == name) {
                return Err(format!("`{name}` occurs in it twice"));
            }
            variables.push(Variable {
                name: name.to_owned(),
                is_optional,
            });
        }
        if open && matches!(operator, None | Some('+')) {
            return Err(format!(
                "nothing separates `{names}` from the variable before it"
            ));
        }
        open = !is_optional;
        rest = after;
    }
    Ok(variables)
}

/// The template `text` without the names of variables, except in queries, where URIs contain them.
pub(crate) fn shape(text: &str) -> String {
    let mut pieces = text.split('{');
    let mut shape = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (names, after) = piece.split_once('}').unwrap_or((piece, ""));
        let is_shown = names.starts_with(['?', '&', ';']);
        let is_kept = |letter: &char| is_shown || "+#./,".contains(*letter);
        shape.push('{');
        shape.extend(names.chars().filter(is_kept));
        shape.push('}');
        shape.push_str(after);
    }
    shape
}

fn check_name(name: &str) -> Result<(), String> {
    if name.ends_with('*') || name.contains(':') {
        return Err(format!(
            "the modifier of `{name}` leaves no way back from a URI to the value"
        ));
    }
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(format!("`{name}` is not a valid name of a variable"));
    }
    Ok(())
}

/// Whether `text` begins with the scheme of a URI (RFC 3986, section 3.1).
pub(crate) fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn variables_are_found_behind_each_operator() {
        let found = variables("x://{a}/{+b}{/c,d}{.e}{?f,g}{&h}{#i}").unwrap();
        let names: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
        let optional = found.iter().filter(|it| it.is_optional);
        assert!(optional.map(|it| it.name.as_str()).eq(["f", "g", "h"]));
    }

    #[test]
    fn what_cannot_be_read_back_is_refused() {
        let texts = [
            "x:{",
            "x:}",
            "x:{a}b}",
            "x:{}",
            "x:{a-b}",
            "x:{a*}",
            "x:{a:3}",
            "x:{a}{+b}",
            "x:{a}/{a}",
        ];
        for text in texts {
            assert!(variables(text).is_err(), "{text}");
        }
    }
}
