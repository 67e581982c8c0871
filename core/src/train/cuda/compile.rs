//! Kernels from source to machine code, with a cache on disk.

use std::ffi::CString;
use std::path::PathBuf;

use cudarc::nvrtc::{result, sys};

use super::CudaError;
use super::kernel::Program;
use crate::files::write_whole;

/// The machine code of a kernel: from the cache, or compiled and kept there.
pub(super) fn machine_code(program: &Program) -> Result<Vec<u8>, CudaError> {
    let cached = cache_file(program);
    if let Some(code) = cached.as_ref().and_then(|path| std::fs::read(path).ok()) {
        return Ok(code);
    }
    compile_again(program)
}

/// The machine code of a kernel, compiled whatever the cache holds, and kept there.
pub(super) fn compile_again(program: &Program) -> Result<Vec<u8>, CudaError> {
    let code = compile(program)?;
    if let Some(path) = cache_file(program) {
        // A cache that cannot be written costs a few seconds next time, nothing else.
        let folder = path.parent().map(std::fs::create_dir_all);
        if let Some(Ok(())) = folder {
            let _ = write_whole(&path, &code);
        }
    }
    Ok(code)
}

/// `$XDG_CACHE_HOME/ketbra/kernels` or `~/.cache/ketbra/kernels`; the name holds everything that the code depends on but the
/// compiler's version: a kernel that is there needs no compiler.
fn cache_file(program: &Program) -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    let key = fingerprint(&format!("{}\n{}", program.options.join(" "), program.source));
    Some(folder.join("ketbra").join("kernels").join(format!("{}-{key:016x}.cubin", program.name)))
}

/// FNV-1a: the key of a cache, no protection against forgery.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

pub(super) fn compile(program: &Program) -> Result<Vec<u8>, CudaError> {
    // SAFETY: only looks whether the library can be loaded.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoCompiler);
    }
    let failed = |log: String| CudaError::Compile { kernel: program.name.clone(), log };
    let in_words = |error: result::NvrtcError| failed(format!("{error:?}"));
    let source = CString::new(program.source.as_str()).map_err(|error| failed(error.to_string()))?;
    let compiled = result::create_program(&source, None).map_err(in_words)?;
    // SAFETY: `compiled` was made above, is destroyed once, and `source` outlives it.
    unsafe {
        let code = match result::compile_program(compiled, &program.options) {
            Ok(()) => read_code(compiled).map_err(in_words),
            Err(error) => Err(failed(match result::get_program_log(compiled) {
                Ok(log) => log.iter().map(|&c| c as u8 as char).filter(|&c| c != '\0').collect(),
                Err(_) => format!("{error:?}"),
            })),
        };
        result::destroy_program(compiled).map_err(in_words)?;
        code
    }
}

/// # Safety
/// `program` must have been compiled for a real architecture.
unsafe fn read_code(program: sys::nvrtcProgram) -> Result<Vec<u8>, result::NvrtcError> {
    let mut size = 0;
    // SAFETY: the buffer has the size that the library asked for.
    unsafe {
        sys::nvrtcGetCUBINSize(program, &mut size).result()?;
        let mut code = vec![0u8; size];
        sys::nvrtcGetCUBIN(program, code.as_mut_ptr().cast()).result()?;
        Ok(code)
    }
}
