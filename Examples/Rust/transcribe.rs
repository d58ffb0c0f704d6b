//! Transcribes a recording and prints each segment as soon as it is final, as JSON.
//!
//!     rustc transcribe.rs -L native=/usr/local/lib && ./transcribe tiny.en talk.wav
use std::env;
use std::ffi::{c_char, c_void, CStr, CString};
use std::process::exit;
use std::ptr::{null, null_mut};

#[link(name = "whisper_local")]
extern "C" {
    fn wl_abi() -> u32;
    fn wl_free(memory: *mut c_void);
    fn wl_model_open(
        name: *const c_char, options: *const c_char, model: *mut *mut c_void, error: *mut *mut c_char,
    ) -> i32;
    fn wl_model_close(model: *mut c_void);
    fn wl_transcribe_file(
        model: *mut c_void, path: *const c_char, options: *const c_char, error: *mut *mut c_char,
    ) -> *mut c_void;
    fn wl_job_next(job: *mut c_void, milliseconds: i32, event: *mut *const c_char, length: *mut usize) -> i32;
    fn wl_job_free(job: *mut c_void);
}

/// Prints an error of the library and ends the program.
unsafe fn fail(error: *mut c_char) -> ! {
    eprintln!("{}", CStr::from_ptr(error).to_string_lossy());
    wl_free(error as *mut c_void);
    exit(1)
}

fn main() {
    let arguments: Vec<CString> = env::args().skip(1).map(|text| CString::new(text).unwrap()).collect();
    assert!(arguments.len() == 2, "usage: transcribe MODEL RECORDING");
    unsafe {
        assert_eq!(wl_abi(), 1);
        let (mut model, mut error) = (null_mut(), null_mut());
        if wl_model_open(arguments[0].as_ptr(), null(), &mut model, &mut error) != 0 {
            fail(error)
        }
        let job = wl_transcribe_file(model, arguments[1].as_ptr(), null(), &mut error);
        wl_model_close(model); // the job keeps it
        if job.is_null() {
            fail(error)
        }
        let (mut event, mut length) = (null(), 0);
        loop {
            let state = wl_job_next(job, -1, &mut event, &mut length);
            let text = if event.is_null() { "".into() } else { CStr::from_ptr(event).to_string_lossy() };
            if text.starts_with("{\"type\":\"segment\"") {
                println!("{text}");
            } else if state == -2 {
                eprintln!("{text}");
            }
            if state < 0 {
                wl_job_free(job);
                exit(if state == -2 { 1 } else { 0 })
            }
        }
    }
}
