/**
 * Measures the import time of a bundle in a fresh process, as a ratio to `@aws-sdk/client-dynamodb`
 * alone, which is bundled the same way except that it keeps its search for credentials. Each round
 * imports each file once, so that a busy moment of the machine affects all of them; the result is
 * the median.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { BUNDLE_OPTIONS } from '../../lib/bundle/options.ts'
import { computeMedian } from '../lib/figures.ts'
import type { Budgets } from './budget.ts'

const REPO = join(import.meta.dirname, '../..')

export const BASELINE = '@aws-sdk/client-dynamodb alone'

/** Milliseconds by the name of the import, including {@link BASELINE}. */
export type Round = ReadonlyMap<string, number>

/** The environment that Lambda and the stacks would set, so that a function starts completely. */
const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_SESSION_TOKEN: 'bench',
  GATEWAY_TABLE: 'Gateway',
  SESSIONS_TABLE: 'Sessions',
  MESSAGES_URL: 'https://messages.invalid/',
  EXECUTE_IAM_URL: 'https://execute.invalid/',
  SECRETS_KEY_ID: 'arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555',
  INTERNAL_SECRET_ID: 'internal',
  ADMIN_SECRET_ID: 'admin',
  ARCHIVE_BUCKET: 'archive',
  MCP_URL: 'https://mcp.invalid/',
}

const TIME_FD = 3

/** The program of the fresh process: imports the given file and prints the time, after its log. */
const IMPORTER = `
import { writeSync } from 'node:fs'
globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: { from() {} } }
const startedAt = performance.now()
await import(process.argv[1])
writeSync(${TIME_FD}, String(performance.now() - startedAt))
process.exit(0)`

/**
 * Bundles the baseline of every function: the client as published on npm. Returns the file in
 * `folder`.
 */
export async function bundleBaseline(folder: string): Promise<string> {
  const outfile = join(folder, 'client-dynamodb.mjs')
  const contents = "export * from '@aws-sdk/client-dynamodb'"
  const { alias: _ours, ...options } = BUNDLE_OPTIONS
  await build({ ...options, stdin: { contents, resolveDir: REPO }, outfile })
  return outfile
}

/** Imports each file once. */
export function importRound(files: ReadonlyMap<string, string>): Round {
  return new Map([...files].map(([name, file]) => [name, measureImportMs(file)]))
}

/**
 * Returns the median of a function's ratio per round; a slow round slows both sides of its ratio.
 */
export function computeRatio(door: string, rounds: readonly Round[]): number {
  return computeMedian(
    rounds.map((round) => (round.get(door) ?? Number.NaN) / (round.get(BASELINE) ?? 0)),
  )
}

/** Returns the import times that exceed their budgets, in words. */
export function findImportExcess(budgets: Budgets, rounds: readonly Round[]): readonly string[] {
  return Object.entries(budgets).flatMap(([door, { importRatioMax }]) => {
    const ratio = computeRatio(door, rounds)
    if (importRatioMax === undefined || ratio <= importRatioMax) return []
    return [
      `${door}: imports in ${ratio.toFixed(2)} × the time of ${BASELINE}, over its ${importRatioMax}`,
    ]
  })
}

function measureImportMs(file: string): number {
  const args = ['--input-type=module', '--eval', IMPORTER, file]
  const { output, status } = spawnSync(process.execPath, args, {
    env: ENVIRONMENT,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  if (status !== 0) throw new Error(`${file}: could not be imported`)
  return Number(output[TIME_FD])
}
