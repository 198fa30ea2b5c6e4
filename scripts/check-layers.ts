/**
 * `npm run layers`: runs dependency-cruiser with .dependency-cruiser.mjs over every room of the
 * tree. Fails if a rule is broken, and if it checked fewer modules than there are files on disk: a
 * run that saw nothing (wrong compiler, wrong folder) reports no violation either.
 */
import '../bench/lib/help.ts'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import config from '../.dependency-cruiser.mjs'

const ROOMS = [
  'core',
  'adapters',
  'lambdas',
  'local',
  'cli',
  'console',
  'lib',
  'bin',
  'bench',
  'scripts',
  'examples',
  'test',
]
/** Rooms that must have modules; without them there is no layer to check. */
const ROOMS_NEEDED = ['core', 'adapters']
/** Files that are not checked: trees broken on purpose, and files of installed packages. */
const NOT_CHECKED = /^test\/architecture\/fixtures\/|(^|\/)node_modules\//

export type LayerReport = {
  readonly violations: readonly { rule: string; from: string; to: string }[]
  /** Files on disk that were not checked; never empty for an empty tree. */
  readonly unseen: readonly string[]
  readonly seenCount: number
}

/** Checks the tree under `root` by the rules of this repository. */
export async function checkLayers(root: string): Promise<LayerReport> {
  const rooms = ROOMS.filter((room) => existsSync(join(root, room)))
  const result = rooms.length === 0 ? undefined : await cruiseRooms(root, rooms)
  const visited = new Set(result?.modules.map((module) => module.source))
  const onDisk = globSync(`{${ROOMS.join(',')}}/**/*.{ts,tsx}`, { cwd: root })
  const checked = onDisk.filter((file) => !NOT_CHECKED.test(file))
  const missing = ROOMS_NEEDED.filter(
    (room) => !checked.some((file) => file.startsWith(`${room}/`)),
  )
  return {
    violations: (result?.summary.violations ?? []).map((violation) => ({
      rule: violation.rule.name,
      from: violation.from,
      to: violation.to,
    })),
    unseen: [
      ...missing.map((room) => `${room}/ (no module)`),
      ...checked.filter((file) => !visited.has(file)),
    ],
    seenCount: checked.filter((file) => visited.has(file)).length,
  }
}

async function cruiseRooms(root: string, rooms: readonly string[]): Promise<ICruiseResult> {
  const { forbidden, options } = config
  const { tsConfig, enhancedResolveOptions, ...rest } = options as ICruiseOptions
  const cruiseOptions = { ...rest, baseDir: root, validate: true, ruleSet: { forbidden } }
  const { output } = await cruise(
    [...rooms],
    cruiseOptions as ICruiseOptions,
    enhancedResolveOptions,
    { tsConfig: extractTsConfig(join(import.meta.dirname, '..', tsConfig?.fileName ?? '')) },
  )
  if (typeof output === 'string')
    throw new Error(`dependency-cruiser answered with text: ${output}`)
  return output
}

if (import.meta.main) {
  const report = await checkLayers(join(import.meta.dirname, '..'))
  for (const { rule, from, to } of report.violations) console.error(`${rule}: ${from} -> ${to}`)
  for (const file of report.unseen) console.error(`not judged: ${file}`)
  console.log(`layers: ${report.seenCount} modules, ${report.violations.length} violations`)
  if (report.violations.length + report.unseen.length > 0) process.exitCode = 1
}
