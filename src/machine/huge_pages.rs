//! Large pages for tables that are read all over: weights and remembered positions.

/// Asks for pages of 2 MB. A look-up goes to a random place, and with pages of 4 kB each one would
/// also miss the processor's cache of addresses. Only advice, so a refusal does no harm.
pub fn ask_for_huge_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let start = memory.as_mut_ptr() as usize;
        let aligned = start.next_multiple_of(PAGE);
        let length = (start + size_of_val(memory)).saturating_sub(aligned);
        // SAFETY: the range lies inside memory we own exclusively, and MADV_HUGEPAGE changes
        // neither its contents nor its protection.
        unsafe { libc::madvise(aligned as *mut libc::c_void, length, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
