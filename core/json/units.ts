/** What a UTF-16 unit of ASCII is in an escape. */

export function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

export function isWord(unit: number): boolean {
  return isDigit(unit) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)
}

export function isReferring(unit: number): boolean {
  return isWord(unit) || unit === 0x23
}
