//! The phrases that [`prose`](super::prose) objects to, each with a better form.
//!
//! A phrase is a list of words. `a|b` matches either word, and `!a|b` at the start or end of the phrase
//! excludes these neighbors. `^` is the start of a sentence that is not a question, `^^` the start of a
//! paragraph, `.` the end of a clause, and `...` skips up to eight words of a clause.

/// A phrase that suggests a compressed sentence.
pub(super) struct Phrase {
    pub(super) find: &'static str,
    /// The better form, as an instruction.
    pub(super) better: &'static str,
}

pub(super) const PHRASES: &[Phrase] = &[
    // Riddles: the reader has to guess the noun.
    Phrase {
        find: "^ what|where|who|whose|which",
        better: "name the subject: \"The server that answered is …\", \"If the file …\"",
    },
    Phrase {
        find: "^ one|ones|those|that that|who|which|whose",
        better: "repeat the noun: \"A key that …\", \"Requests that …\"",
    },
    Phrase {
        find: "^^ its|their|his",
        better: "name the owner: \"The session's …\", or write \"The …\"",
    },
    Phrase {
        find: "is|are|was|were|as that|those of",
        better: "repeat the noun: \"the headers of the user\", or use a possessive: \"the user's\"",
    },
    Phrase {
        find: "!all|any|both|each|either|few|many|most|neither|none|one|some|two|three of which",
        better: "make two sentences, or use \"whose\" or \"for which\"",
    },
    Phrase {
        find: "with|without one .",
        better: "repeat the noun: \"without a token\"",
    },
    Phrase {
        find: "to|of|by|for|from|with|at who",
        better: "name the person or program: \"for the caller\"",
    },
    Phrase {
        find: "with|of|by|for|in|from|before|after|among|beside what is|was|are|were|has|have",
        better: "name the thing: \"from the text that is …\"",
    },
    Phrase {
        find: "whoever",
        better: "write \"anyone who\" or name the caller",
    },
    Phrase {
        find: "of|as|by|to whom",
        better: "name the person, or turn the sentence around",
    },
    // Negations.
    Phrase {
        find: "!there is|are|was|were no !longer|more|less|fewer|later|earlier|other|such|different|doubt",
        better: "write \"is not a\" or \"are not\"",
    },
    Phrase {
        find: "is|are|was|were|it none",
        better: "repeat the noun: \"there is no token\", \"has no token\"",
    },
    Phrase {
        find: "so that ... not|none|never",
        better: "write \"to avoid …\" or \"… would otherwise …\"",
    },
    Phrase {
        find: "but for",
        better: "write \"except for\"",
    },
    Phrase {
        find: "nothing of",
        better: "write \"no part of\" or \"nothing about\"",
    },
    // Persons instead of programs.
    Phrase {
        find: "^ nobody|nobody's",
        better: "name who does not: \"no client\", or write \"no one\"",
    },
    // Verbs that mean something else elsewhere.
    Phrase {
        find: "count|counts as",
        better: "write \"is\" or \"is treated as\"",
    },
    Phrase {
        find: "stand|stands|stood in|at|around|there|here|on|before|after|between|under|above|below|beside|behind|alone|where",
        better: "write \"is\", \"is in\", \"appears\" or \"stops\"",
    },
    Phrase {
        find: "goes|go|went before !any|a|the",
        better: "write \"precedes\" or \"runs before\"",
    },
    Phrase {
        find: "taken for|as",
        better: "write \"treated as\" or \"mistaken for\"",
    },
    Phrase {
        find: "is|are|was|were|be|been|being told !to",
        better: "write \"is reported\", \"is notified of\" or \"learns\"",
    },
    Phrase {
        find: "told apart",
        better: "write \"distinguished\"",
    },
    Phrase {
        find: "tells|tell apart",
        better: "write \"distinguishes\"",
    },
    Phrase {
        find: "asked for .",
        better: "write \"requested\"",
    },
    Phrase {
        find: "ended by",
        better: "write \"ends with\", or name who ends it in the active voice",
    },
    Phrase {
        find: "^ given up",
        better: "write \"Limitation: …\"",
    },
    Phrase {
        find: "is|are|was|were to be",
        better: "write \"must be\", \"should be\" or \"will be\"",
    },
    Phrase {
        find: "be had",
        better: "write \"is available\" or \"can be fetched\"",
    },
    Phrase {
        find: "spoken",
        better: "write \"used\" or \"supported\"",
    },
    Phrase {
        find: "gives|give|gave way",
        better: "write \"yields\"",
    },
    Phrase {
        find: "mend|mends|mended|mending",
        better: "write \"fix\"",
    },
    // Words.
    Phrase {
        find: "anew",
        better: "write \"again\"",
    },
    Phrase {
        find: "by itself|themselves",
        better: "write \"automatically\", \"on its own\" or \"alone\"",
    },
    Phrase {
        find: "by hand",
        better: "write \"manually\", or name who does it",
    },
    Phrase {
        find: "!all|many|much|several|everything|everyone|calls|clients|connections|requests|them at once",
        better: "write \"immediately\", or \"at the same time\"",
    },
    Phrase {
        find: "a text !file|editor|content|block|message|frame|field|format|node|mode|area|item|part|line|and|or",
        better: "write \"a string\" or \"text\"",
    },
    Phrase {
        find: "further one|ones",
        better: "write \"another\", \"more\" or \"additional\"",
    },
    Phrase {
        find: "too .",
        better: "write \"also\" before the verb",
    },
    Phrase {
        find: "also if|when|where",
        better: "write \"even if\" or \"even when\"",
    },
    Phrase {
        find: "all the same .",
        better: "write \"still\" or \"anyway\"",
    },
    Phrase {
        find: "beside",
        better: "write \"next to\", \"in addition to\" or \"as well as\"",
    },
    Phrase {
        find: "first|last|most of all",
        better: "write \"first\", \"last\" or \"above all\"",
    },
];
