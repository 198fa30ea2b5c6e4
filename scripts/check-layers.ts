/**
 * `npm run layers`: dependency-cruiser with .dependency-cruiser.mjs over every room of the tree.
 * Fails when a rule is broken, and when it judged fewer modules than there are files on disk:
 * a cruise that saw nothing (wrong compiler, wrong folder) reports no violation either.
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
  'lib',
  'bin',
  'bench',
  'scripts',
  'examples',
  'test',
]
/** Without these two rooms there is no layer to check. */
const ROOMS_NEEDED = ['core', 'adapters']
/** Trees broken on purpose, and files left behind by tools. */
const NOT_OURS = /^test\/architecture\/fixtures\/|(^|\/)node_modules\//

export type LayerReport = {
  readonly violations: readonly { rule: string; from: string; to: string }[]
  /** Files on disk that the cruise did not judge; never empty for an empty tree. */
  readonly unseen: readonly string[]
  readonly seenCount: number
}

/** Judges the tree under `root` by the rules of this repository. */
export async function checkLayers(root: string): Promise<LayerReport> {
  const rooms = ROOMS.filter((room) => existsSync(join(root, room)))
  const result = rooms.length === 0 ? undefined : await cruiseRooms(root, rooms)
  const visited = new Set(result?.modules.map((module) => module.source))
  const onDisk = globSync(`{${ROOMS.join(',')}}/**/*.ts`, { cwd: root })
  const judged = onDisk.filter((file) => !NOT_OURS.test(file))
  const missing = ROOMS_NEEDED.filter((room) => !judged.some((file) => file.startsWith(`${room}/`)))
  return {
    violations: (result?.summary.violations ?? []).map((violation) => ({
      rule: violation.rule.name,
      from: violation.from,
      to: violation.to,
    })),
    unseen: [
      ...missing.map((room) => `${room}/ (no module)`),
      ...judged.filter((file) => !visited.has(file)),
    ],
    seenCount: judged.filter((file) => visited.has(file)).length,
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
