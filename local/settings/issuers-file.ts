/** Reads the file of `--issuers`: a JSON list with the fields of the setting `issuers`. */
import { closeSync, openSync, readSync } from 'node:fs'
import { err, ok, type Result } from '../../core/errors.ts'
import {
  findUnknownTiers,
  ISSUERS_BYTES_MAX,
  type IssuerSetting,
  parseIssuers,
} from '../../core/issuers/issuer-setting.ts'
import { readErrorCode } from '../start-fault.ts'

/** `from`: the option or variable that names the file. An error has one line per fault. */
export function readIssuersFile(
  from: string,
  file: string,
): Result<readonly IssuerSetting[], readonly string[]> {
  const at = `${from} ${file}: issuers`
  let bytes: Uint8Array
  try {
    bytes = readStart(file)
  } catch (cause) {
    const code = readErrorCode(cause)
    return err([
      `${from}: ${file} cannot be read (${code}); give a file with a JSON list of authorization servers`,
    ])
  }
  const issuers = parseIssuers(at, bytes)
  if (!issuers.ok) return issuers
  // The twin has no setting for limits of other tiers.
  const faults = issuers.value.flatMap((one, index) => findUnknownTiers(`${at}[${index}]`, one, []))
  return faults.length === 0 ? ok(issuers.value) : err(faults)
}

/** Reads one byte more than is allowed, so that the reader of the JSON refuses a larger file. */
function readStart(file: string): Uint8Array {
  const opened = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(ISSUERS_BYTES_MAX + 1)
    return bytes.subarray(0, readSync(opened, bytes))
  } finally {
    closeSync(opened)
  }
}
