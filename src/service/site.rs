//! The page as plain files, for any web host: `emilia export-site`.
//!
//! The files are those that the server sends, but for one: `transport.js`, through which the page
//! asks, is the one that answers by itself.

use super::{page, page_engine};
use serde_json::json;
use std::borrow::Cow;
use xxhash_rust::xxh3::Xxh3;

/// A file of a site: its path in the folder and its content.
pub struct SiteFile {
    pub path: String,
    pub content: Cow<'static, [u8]>,
}

/// Where the page looks for the book; it is not among the files of [`site_files`].
pub const SITE_BOOK: &str = "page/book.bin";

/// What a server has not, or has otherwise.
const SITE_ONLY: [(&str, &[u8]); 3] = [
    (
        "page/transport.js",
        include_bytes!("page/site-transport.js"),
    ),
    ("page/site-book.js", include_bytes!("page/site-book.js")),
    ("page/site-start.js", include_bytes!("page/site-start.js")),
];

/// The script that keeps a site's files, without their list.
const SITE_WORKER: &[u8] = include_bytes!("page/site-worker.js");

const INDEX: &str = "index.html";
const MANIFEST: &str = "manifest.webmanifest";
const WORKER: &str = "service-worker.js";

/// What an index page of a site has more than that of a server.
const HEAD: &str = "<link rel=\"manifest\" href=\"manifest.webmanifest\">\n\
                    <script type=\"module\" src=\"page/site-start.js\"></script>\n</head>";

/// All files but the book, whose content is a part of the version that browsers keep.
pub fn site_files(book: &[u8]) -> Vec<SiteFile> {
    let mut files: Vec<SiteFile> = page::files()
        .chain(page_engine::files())
        .filter_map(|(path, content)| {
            let path = match path {
                "/" => INDEX,
                // Described there is the server.
                "/page/docs.js" | "/page/transport.js" => return None,
                path => path
                    .strip_prefix('/')
                    .filter(|path| path.starts_with("page/"))?,
            };
            let content = if path == INDEX {
                let html = String::from_utf8_lossy(content).replacen("</head>", HEAD, 1);
                Cow::Owned(html.into_bytes())
            } else {
                Cow::Borrowed(content)
            };
            Some(SiteFile {
                path: path.to_owned(),
                content,
            })
        })
        .collect();
    files.extend(SITE_ONLY.map(|(path, content)| SiteFile {
        path: path.to_owned(),
        content: Cow::Borrowed(content),
    }));
    files.push(SiteFile {
        path: MANIFEST.to_owned(),
        content: Cow::Owned(manifest()),
    });
    let worker = worker(&files, book);
    // Hosts that know it show it for the addresses of views.
    let index = files.iter().find(|file| file.path == INDEX);
    let missing = index.map(|index| SiteFile {
        path: "404.html".to_owned(),
        content: index.content.clone(),
    });
    files.extend(missing);
    files.push(SiteFile {
        path: WORKER.to_owned(),
        content: Cow::Owned(worker),
    });
    files
}

fn manifest() -> Vec<u8> {
    let manifest = json!({
        "name": "Emilia", "short_name": "Emilia",
        "description": "An Othello position database with its engine",
        "start_url": "./", "scope": "./", "display": "standalone",
        "background_color": "#f6f5f1", "theme_color": "#1f7a4d",
        "icons": [{ "src": "page/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any" }],
    });
    manifest.to_string().into_bytes()
}

/// The worker that keeps these files and the book, under a name that changes with them.
fn worker(files: &[SiteFile], book: &[u8]) -> Vec<u8> {
    let mut hash = Xxh3::new();
    hash.update(book);
    let mut paths = vec!["./", SITE_BOOK];
    for file in files {
        hash.update(file.path.as_bytes());
        hash.update(&file.content);
        if file.path != INDEX {
            paths.push(&file.path);
        }
    }
    let version = format!("{:016x}", hash.digest());
    let script = String::from_utf8_lossy(SITE_WORKER);
    format!(
        "const VERSION = {};\nconst FILES = {};\n{script}",
        json!(version),
        json!(paths)
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file<'a>(files: &'a [SiteFile], path: &str) -> &'a str {
        let found = files.iter().find(|file| file.path == path);
        std::str::from_utf8(&found.unwrap_or_else(|| panic!("no {path}")).content).unwrap()
    }

    #[test]
    fn no_file_of_a_site_names_a_place_above_its_folder() {
        let files = site_files(b"a book");
        for file in &files {
            assert!(!file.path.starts_with('/') && !file.path.contains(".."));
            let is_text = [".js", ".html", ".css"]
                .iter()
                .any(|end| file.path.ends_with(end));
            if !is_text {
                continue;
            }
            let text = std::str::from_utf8(&file.content).unwrap();
            for absolute in [
                "=\"/", "\"/page/", "\"/play", "`/play", "`/?", "`/games", "\"/grow",
            ] {
                assert!(!text.contains(absolute), "{}: {absolute}", file.path);
            }
        }
    }

    #[test]
    fn the_page_of_a_site_asks_itself_and_can_be_installed() {
        let files = site_files(b"a book");
        assert!(file(&files, "page/transport.js").contains("site-book.js"));
        assert!(file(&files, "index.html").contains("rel=\"manifest\""));
        let worker = file(&files, "service-worker.js");
        for kept in [
            "./",
            "page/book.bin",
            "page/engine.wasm",
            "page/weights.emw",
            "page/app.js",
        ] {
            assert!(worker.contains(&format!("{kept:?}")), "{kept}");
        }
    }

    #[test]
    fn another_book_is_another_version() {
        let version = |book: &[u8]| {
            let files = site_files(book);
            let worker = file(&files, "service-worker.js").to_owned();
            worker.lines().next().unwrap().to_owned()
        };
        assert_eq!(version(b"a book"), version(b"a book"));
        assert_ne!(version(b"a book"), version(b"another"));
    }
}
