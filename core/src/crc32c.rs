//! CRC-32C (Castagnoli), as TensorBoard's files and our checkpoints use it.

const TABLE: [u32; 256] = {
    /// The polynomial 0x1EDC6F41, bits reversed.
    const POLYNOMIAL: u32 = 0x82F6_3B78;
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ POLYNOMIAL } else { rest >> 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
};

/// The checksum of some bytes.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| TABLE[((crc ^ u32::from(byte)) & 0xFF) as usize] ^ crc >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_check_values() {
        // RFC 3720, appendix B.4, and the usual "123456789".
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8A91_36AA);
        assert_eq!(crc32c(&[0xFF; 32]), 0x62A8_AB43);
    }
}
