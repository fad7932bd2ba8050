//! The token that lets its holder change the book.

use super::places::Caller;
use super::problem::Problem;
use super::shared::Shared;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// A secret word. It is told to nobody, not even to the log.
#[derive(Clone)]
pub struct Token(String);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadToken {
    #[error("the token must be one word of ASCII letters, digits and signs")]
    NotAWord,
    #[error(
        "the token has {length} characters, and whoever tries can guess it: take at least {}, or \
         have one made with emilia serve --new-token FILE",
        Token::SHORTEST
    )]
    Short { length: usize },
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl FromStr for Token {
    type Err = BadToken;

    fn from_str(text: &str) -> Result<Token, BadToken> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadToken::NotAWord);
        }
        let length = text.len();
        if length < Token::SHORTEST {
            return Err(BadToken::Short { length });
        }
        Ok(Token(text.to_owned()))
    }
}

impl Token {
    pub const SHORTEST: usize = 16;

    /// A new one that nobody guesses.
    pub fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes)?;
        Ok(Token(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// For the file it is kept in.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Takes the same time wherever the first difference is.
    fn is(&self, sent: &str) -> bool {
        self.0.as_bytes().ct_eq(sent.as_bytes()).into()
    }
}

/// What a request offers as its token.
fn offered(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let bearer = scheme.eq_ignore_ascii_case("bearer");
    bearer.then(|| token.trim_start())
}

/// Lets those through who may change the book. Whoever guesses has to wait after some guesses, and
/// so does the right token from the same address: else waiting would be no hindrance.
pub async fn only_with_token(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let token = shared.settings.token.as_ref().ok_or(Problem::ReadOnly)?;
    let sent = offered(request.headers()).ok_or(Problem::Token)?;
    {
        let _waiting = caller.waiting();
        shared.failures.check(caller.client).await?;
    }
    if !token.is(sent) {
        shared.failures.note(caller.client, &Problem::Token);
        return Err(Problem::Token);
    }
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn a_token_is_a_long_word_and_compared_as_a_whole() {
        let token: Token = " 0123456789abcdef\n".parse().unwrap();
        assert!(token.is("0123456789abcdef"));
        for other in [
            "",
            "0123456789abcdeF",
            "0123456789abcdef0",
            "0123456789abcde",
        ] {
            assert!(!token.is(other), "{other}");
        }
        let short = "0123456789abcde".parse::<Token>().unwrap_err();
        assert_eq!(short, BadToken::Short { length: 15 });
        for no_word in ["", "two words of some length", "größer als sechzehn"] {
            assert_eq!(no_word.parse::<Token>().unwrap_err(), BadToken::NotAWord);
        }
        assert_eq!(format!("{token:?}"), "Token");
    }

    #[test]
    fn new_tokens_are_good_ones_and_differ() {
        let [one, other] = [(); 2].map(|()| Token::random().unwrap());
        assert!(one.secret().parse::<Token>().is_ok());
        assert_ne!(one.secret(), other.secret());
    }

    #[test]
    fn the_scheme_is_written_in_any_case() {
        let with = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
            offered(&headers).map(str::to_owned)
        };
        for value in ["Bearer x", "bearer x", "BEARER  x"] {
            assert_eq!(with(value).as_deref(), Some("x"));
        }
        assert_eq!(with("Basic x"), None);
        assert_eq!(with("x"), None);
    }
}
