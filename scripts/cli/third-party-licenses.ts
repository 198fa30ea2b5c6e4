/**
 * Collects the licences of the packages in a bundle, from the licence files that each package
 * ships. Packages with the same licence text share one section. Reads files below `node_modules`
 * and writes nothing.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
const LICENSE_FILE = /^(licen[cs]e|notice|copying)\b/i
const RULE = '-'.repeat(80)

type Manifest = {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
  readonly contributors?: readonly (string | { readonly name: string })[]
}

/**
 * Returns the text of all licences. `files` are the source files of the bundle as paths below
 * `root`, such as `node_modules/yaml/index.js`; files outside `node_modules` are ignored. Throws if
 * a package has neither a licence file nor a licence in its manifest.
 */
export function thirdPartyLicenses(root: string, files: readonly string[]): string {
  const folders = new Set(files.map((file) => PACKAGE.exec(file)?.[0] ?? '').filter(Boolean))
  const namesOf = new Map<string, Set<string>>()
  for (const folder of [...folders].sort()) {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const text = licenseOf(join(root, folder), manifest)
    const names = namesOf.get(text) ?? new Set()
    namesOf.set(text, names.add(`${manifest.name} ${manifest.version}`))
  }
  const parts = [...namesOf].map(([text, names]) => `${[...names].join('\n')}\n\n${text}\n`)
  return ['This package contains the following software.\n', ...parts].join(`\n${RULE}\n\n`)
}

function licenseOf(folder: string, { name, license, author, contributors = [] }: Manifest): string {
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file))
  if (files.length > 0) {
    return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  }
  if (license === undefined) {
    throw new Error(`${name} has no licence: bundle another package, or ask its authors`)
  }
  const people = [author ?? [], contributors].flat()
  const by = people.map((one) => (typeof one === 'string' ? one : one.name)).join(', ')
  return `Licensed under ${license}${by === '' ? '' : `, by ${by}`}. The package ships no licence file.`
}
