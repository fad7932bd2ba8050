//! docs/api.md lists every field of every answer, as `/openapi.json` describes it.

use super::server::Server;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;

/// The part of the page that is made from the description.
const HEADING: &str = "## Every field\n";
/// Set to write the page anew.
const UPDATE: &str = "EMILIA_UPDATE_DOCS";

/// A type in a few words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    let list = |schemas: &[Value]| schemas.iter().map(kind).collect::<Vec<_>>().join(" or ");
    match (&schema["oneOf"], &schema["enum"], &schema["type"]) {
        (Value::Array(some), ..) => list(some),
        (_, Value::Array(names), _) => {
            let names = names.iter().filter_map(Value::as_str);
            names
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        }
        (.., Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            names.collect::<Vec<_>>().join(" or ")
        }
        (.., Value::String(name)) if name == "array" => {
            format!("list of {}", kind(&schema["items"]))
        }
        (.., Value::String(name)) if name == "object" => {
            format!("object of {}", kind(&schema["additionalProperties"]))
        }
        (.., name) => name.as_str().unwrap_or_default().to_owned(),
    }
}

/// What is said about a schema, or about the part of it that is not null.
fn meaning(schema: &Value) -> String {
    let parts = schema["oneOf"].as_array().into_iter().flatten();
    let texts = [schema].into_iter().chain(parts);
    let text = texts.filter_map(|part| part["description"].as_str()).next();
    text.unwrap_or_default().replace('\n', " ")
}

fn table(fields: &Map<String, Value>) -> String {
    let mut text = String::from("| field | what | meaning |\n|---|---|---|\n");
    for (name, field) in fields {
        let meaning = meaning(field);
        assert!(
            !meaning.is_empty(),
            "nothing is said about the field {name}"
        );
        writeln!(text, "| `{name}` | {} | {meaning} |", kind(field)).unwrap();
    }
    text
}

/// Those of an object, with those of the objects that it is made of.
fn fields(document: &Value, schema: &Value) -> Option<Map<String, Value>> {
    if let Some(reference) = schema["$ref"].as_str() {
        let place = reference.trim_start_matches('#');
        return fields(document, document.pointer(place)?);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let parts = parts.iter().filter_map(|part| fields(document, part));
        return Some(parts.flatten().collect());
    }
    schema["properties"].as_object().cloned()
}

/// All schemas, by name.
fn every_field(document: &Value) -> String {
    let mut text = HEADING.to_owned();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        write!(text, "\n### {name}\n\n").unwrap();
        let meaning = meaning(schema);
        if !meaning.is_empty() {
            write!(text, "{meaning}\n\n").unwrap();
        }
        match fields(document, schema) {
            Some(fields) => text += &table(&fields),
            None => writeln!(text, "{}", kind(schema)).unwrap(),
        }
    }
    text
}

#[test]
fn the_page_about_the_interface_tells_every_field() {
    let server = Server::start();
    let fields = every_field(&server.get("/openapi.json").json());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/api.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, told) = page.split_at(page.find(HEADING).unwrap());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, head.to_owned() + &fields).unwrap();
        return;
    }
    assert!(
        told == fields,
        "docs/api.md is old; {UPDATE}=1 tools/cargo test --test service tells_every_field writes it anew"
    );
}
