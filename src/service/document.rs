//! The description of the interface, completed with what is true of many addresses alike: what can
//! go wrong, how events are sent, what the token is.

use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

/// Whether a trouble is to be expected of an operation.
type Concerns = fn(&Operation<'_>) -> bool;

/// What can go wrong: the status, what it means, and who has to expect it.
const TROUBLE: &[(&str, &str, Concerns)] = &[
    (
        "400",
        "The request is not as described: a field that is not known, a wrong type, a number out \
         of range",
        |asked| asked.has_input(),
    ),
    ("401", "The token is missing or wrong", |asked| {
        asked.needs_token()
    }),
    (
        "403",
        "This server only reads: nobody may change its book; or a page of another site asks",
        |_| true,
    ),
    ("408", "It took too long and was given up", |asked| {
        asked.takes_its_turn()
    }),
    ("413", "The body is larger than what is taken", |asked| {
        asked.has_body()
    }),
    ("415", "The body is not announced as JSON", |asked| {
        asked.takes_json()
    }),
    (
        "421",
        "The server does not answer to the name it was asked by",
        |_| true,
    ),
    (
        "422",
        "The request is as described, but what it says is not so: moves that are not legal, a \
         name that nobody has, a file without games",
        |asked| asked.has_input(),
    ),
    (
        "429",
        "You have as much under way as you may: try again later",
        |asked| asked.takes_its_turn(),
    ),
    ("500", "Something broke inside the server", |_| true),
    (
        "503",
        "The server has too much to do, or is shutting down: try again later",
        |asked| asked.takes_its_turn(),
    ),
];

/// One address and method as it is described.
struct Operation<'a>(&'a Map<String, Value>);

impl Operation<'_> {
    fn has_body(&self) -> bool {
        self.0.contains_key("requestBody")
    }

    fn takes_json(&self) -> bool {
        let content = self.0.get("requestBody").map(|body| &body["content"]);
        content.is_some_and(|content| content["application/json"].is_object())
    }

    fn has_input(&self) -> bool {
        self.has_body() || self.0.contains_key("parameters")
    }

    /// Everything but what `health` tells, whatever the load.
    fn takes_its_turn(&self) -> bool {
        let id = self.0.get("operationId").and_then(Value::as_str);
        !matches!(id, Some("health" | "ready"))
    }

    fn needs_token(&self) -> bool {
        self.0.contains_key("security")
    }
}

/// The whole document.
pub fn complete(document: &OpenApi) -> Value {
    let mut document = json!(document);
    document["components"]["securitySchemes"] = json!({ "token": {
        "type": "http", "scheme": "bearer",
        "description": "The token that the server was started with",
    } });
    let paths = document["paths"].as_object_mut();
    let methods = paths.into_iter().flat_map(Map::values_mut);
    for operations in methods.filter_map(Value::as_object_mut) {
        for operation in operations.values_mut().filter_map(Value::as_object_mut) {
            describe_events(operation);
            describe_trouble(operation);
        }
    }
    document
}

/// Adds what can go wrong and is not described yet.
fn describe_trouble(operation: &mut Map<String, Value>) {
    let expected: Vec<_> = TROUBLE
        .iter()
        .filter(|(_, _, concerns)| concerns(&Operation(operation)))
        .collect();
    let Some(responses) = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    for answer in responses.values_mut() {
        if answer["description"] == "" {
            answer["description"] = "It is answered".into();
        }
    }
    for (status, meaning, _) in expected {
        responses.entry(*status).or_insert_with(|| {
            json!({
                "description": meaning,
                "content": { "application/json": {
                    "schema": { "$ref": "#/components/schemas/ErrorBody" },
                } },
            })
        });
    }
}

/// Says of an answer that comes as events what one event is: its name, and JSON as its data. Their
/// names are listed beside the operation.
fn describe_events(operation: &mut Map<String, Value>) {
    let names = operation.get("x-events").cloned().unwrap_or_default();
    let answers = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut);
    for answer in answers.into_iter().flat_map(Map::values_mut) {
        let Some(stream) = answer.pointer_mut("/content/text~1event-stream") else {
            continue;
        };
        let data = stream["schema"].take();
        stream["schema"] = json!({
            "type": "object",
            "description": "One server-sent event",
            "required": ["event", "data"],
            "properties": {
                "event": { "type": "string", "enum": names },
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json",
                    "contentSchema": data,
                },
            },
        });
    }
}
