/**
 * The policies of the last release, in released.json: one line per statement, so that a review
 * shows what a release changes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FunctionGrants } from './grants.ts'

export const RELEASED_FILE = join(import.meta.dirname, 'released.json')

export type Released = {
  /** `0.2.0`. */
  readonly release: string
  readonly functions: FunctionGrants
  /**
   * Lines of `describeGrant`, each with the last release whose code had no use for the grant any
   * more, although it still had the grant.
   */
  readonly withdrawn: { readonly [grant: string]: { readonly unusedIn: string } }
}

export function readReleased(): Released {
  // A cast, as in parsers: the script below wrote the file.
  return JSON.parse(readFileSync(RELEASED_FILE, 'utf8')) as Released
}

/** Returns the text of the file for a release, which withdraws nothing yet. */
export function writeReleased(release: string, functions: FunctionGrants): string {
  const written = Object.entries(functions).map(([name, grants]) => {
    const lines = grants.map((grant) => `      ${JSON.stringify(grant)}`)
    return `    ${JSON.stringify(name)}: [\n${lines.join(',\n')}\n    ]`
  })
  const head = `  "release": ${JSON.stringify(release)},\n  "withdrawn": {},\n`
  return `{\n${head}  "functions": {\n${written.join(',\n')}\n  }\n}\n`
}
