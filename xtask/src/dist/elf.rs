//! Checks the headers of an ELF binary: it must need only the kernel.

/// Machine numbers of the ELF header.
const MACHINES: [(&str, u16); 2] = [("x86_64", 62), ("aarch64", 183)];

/// A program at a fixed address, without relocations.
const EXECUTABLE: u16 = 2;

/// Segment types of a dynamically linked binary.
const DYNAMIC: u32 = 2;
const INTERPRETER: u32 = 3;

/// Checks that a binary is for a machine and needs neither loader nor relocations.
pub(super) fn check_static(binary: &[u8], machine: &str) -> Result<(), String> {
    if binary.get(..6) != Some(&[0x7f, b'E', b'L', b'F', 2, 1]) {
        return Err("not a 64-bit little-endian ELF binary".to_owned());
    }
    let found = short(binary, 18)?;
    if !MACHINES.contains(&(machine, found)) {
        return Err(format!("it is for machine {found}, not for {machine}"));
    }
    if short(binary, 16)? != EXECUTABLE {
        return Err("it is position-independent: it relocates itself at every start".to_owned());
    }
    let table = usize::try_from(u64::from_le_bytes(bytes(binary, 32)?)).map_err(|error| error.to_string())?;
    let (size, count) = (usize::from(short(binary, 54)?), usize::from(short(binary, 56)?));
    for n in 0..count {
        let at = table.checked_add(n * size).ok_or("invalid ELF header")?;
        match u32::from_le_bytes(bytes(binary, at)?) {
            INTERPRETER => return Err("it needs a dynamic loader".to_owned()),
            DYNAMIC => return Err("it is linked dynamically".to_owned()),
            _ => {}
        }
    }
    Ok(())
}

fn short(binary: &[u8], at: usize) -> Result<u16, String> {
    Ok(u16::from_le_bytes(bytes(binary, at)?))
}

fn bytes<const N: usize>(binary: &[u8], at: usize) -> Result<[u8; N], String> {
    let end = at.checked_add(N).ok_or("invalid ELF header")?;
    let found = binary.get(at..end).and_then(|found| found.try_into().ok());
    found.ok_or_else(|| "truncated ELF header".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ELF header for x86-64 with these empty segments.
    fn header(kind: u16, segments: &[u32]) -> Vec<u8> {
        let mut binary = vec![0; 64];
        binary[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        binary[16..18].copy_from_slice(&kind.to_le_bytes());
        binary[18..20].copy_from_slice(&62_u16.to_le_bytes());
        binary[32..40].copy_from_slice(&64_u64.to_le_bytes());
        binary[54..56].copy_from_slice(&56_u16.to_le_bytes());
        binary[56] = u8::try_from(segments.len()).unwrap();
        for segment in segments {
            binary.extend(segment.to_le_bytes());
            binary.extend([0; 52]);
        }
        binary
    }

    #[test]
    fn only_static_binaries_pass() {
        let cases: [(Vec<u8>, &str, Result<(), &str>); 7] = [
            (header(2, &[1, 1, 4]), "x86_64", Ok(())),
            (header(2, &[1, 3]), "x86_64", Err("it needs a dynamic loader")),
            (header(2, &[1, 2]), "x86_64", Err("it is linked dynamically")),
            (
                header(3, &[1]),
                "x86_64",
                Err("it is position-independent: it relocates itself at every start"),
            ),
            (header(2, &[1]), "aarch64", Err("it is for machine 62, not for aarch64")),
            (header(2, &[1])[..64].to_vec(), "x86_64", Err("truncated ELF header")),
            (b"#!/bin/sh\n".to_vec(), "x86_64", Err("not a 64-bit little-endian ELF binary")),
        ];
        for (binary, machine, expected) in cases {
            assert_eq!(check_static(&binary, machine), expected.map_err(str::to_owned));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_dynamic_binary_fails() {
        let myself = fs_err::read("/proc/self/exe").unwrap();
        assert!(check_static(&myself, std::env::consts::ARCH).is_err());
    }
}
