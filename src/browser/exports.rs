//! What the module shows its host. Text goes in through a buffer of the module and comes out
//! through another; `host.now` is the host's clock in milliseconds.

use super::engine::{Engine, Told, run_bench};
use crate::eval::Evaluator;
use crate::machine::set_clock;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

// SAFETY: the host gives this function with this type.
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    safe fn now() -> f64;
}

struct Module {
    /// Written by the host.
    input: Vec<u8>,
    /// Read by the host.
    output: String,
    evaluator: Option<&'static Evaluator>,
    engine: Option<Engine>,
}

static MODULE: Mutex<Module> = Mutex::new(Module {
    input: Vec::new(),
    output: String::new(),
    evaluator: None,
    engine: None,
});

/// There is one thread, and a module that panicked is thrown away.
fn module() -> MutexGuard<'static, Module> {
    MODULE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a call says beside its text.
const NO: u32 = 0;
const YES: u32 = 1;
const DONE: u32 = 2;

impl Module {
    fn says(&mut self, code: u32, text: String) -> u32 {
        self.output = text;
        code
    }
}

/// Where the host may write so many bytes.
#[unsafe(no_mangle)]
extern "C" fn reserve(bytes: usize) -> *mut u8 {
    let input = &mut module().input;
    input.clear();
    input.resize(bytes, 0);
    input.as_mut_ptr()
}

/// The text of the last call.
#[unsafe(no_mangle)]
extern "C" fn text() -> *const u8 {
    module().output.as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn text_length() -> usize {
    module().output.len()
}

/// The input is a weights file. The table gets so many megabytes.
#[unsafe(no_mangle)]
extern "C" fn load_weights(table_megabytes: usize) -> u32 {
    set_clock(|| Duration::from_secs_f64(now().max(0.0) / 1000.0));
    let mut module = module();
    let file = std::mem::take(&mut module.input);
    match Evaluator::decode(&file) {
        Ok(evaluator) => {
            // They are wanted as long as the module is.
            let evaluator = Box::leak(Box::new(evaluator));
            module.evaluator = Some(evaluator);
            module.engine = Some(Engine::new(evaluator, table_megabytes << 20));
            module.says(YES, String::new())
        }
        Err(problem) => module.says(NO, problem.to_string()),
    }
}

/// The input is an order.
#[unsafe(no_mangle)]
extern "C" fn begin() -> u32 {
    let mut module = module();
    let order = String::from_utf8_lossy(&std::mem::take(&mut module.input)).into_owned();
    match module.engine.as_mut().map(|engine| engine.begin(&order)) {
        Some(Ok(())) => module.says(YES, String::new()),
        Some(Err(problem)) => module.says(NO, problem.to_string()),
        None => module.says(NO, "the weights are not loaded".to_owned()),
    }
}

/// Searches on for so many milliseconds: nothing new, an iteration more, or done.
#[unsafe(no_mangle)]
extern "C" fn go_on(milliseconds: u32) -> u32 {
    let mut module = module();
    let time = Duration::from_millis(milliseconds.into());
    match module.engine.as_mut().map(|engine| engine.go_on(time)) {
        Some(Told::Deeper(told)) => module.says(YES, told),
        Some(Told::Done(told)) => module.says(DONE, told),
        Some(Told::Nothing) | None => module.says(NO, String::new()),
    }
}

#[unsafe(no_mangle)]
extern "C" fn forget() {
    if let Some(engine) = &mut module().engine {
        engine.forget();
    }
}

/// One search of the bench, from 0, with middle-game positions to this depth. No after the last
/// one.
#[unsafe(no_mangle)]
extern "C" fn bench(place: usize, depth: u32) -> u32 {
    let mut module = module();
    let evaluator = module.evaluator;
    match evaluator.and_then(|evaluator| run_bench(evaluator, place, depth)) {
        Some(told) => module.says(YES, told),
        None => module.says(NO, String::new()),
    }
}
