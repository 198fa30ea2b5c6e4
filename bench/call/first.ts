/**
 * The first call with secrets, which loads the Encryption SDK. Measured in a fresh process with the
 * deployed files, and under AWS's own runtime client if that is built.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { rawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import { bundleInto } from '../../scripts/bundle.ts'
import { newUser, setSecret, syncSkill, syncSkills } from '../../test/lambda/doors/people.ts'
import { startWorld, type World } from '../../test/lambda/doors/world.ts'
import { builtRicEntry, ricCacheDir } from '../../test/lambda/paths.ts'
import { callMs } from '../cold/init.ts'
import { API_KEY } from '../lib/bench-skills.ts'
import { median, ms, percentile, printTable } from '../lib/figures.ts'
import { inShort } from '../lib/short.ts'

const REPO = join(import.meta.dirname, '../..')
const SAMPLES = inShort(11, 1)
const CONTEXT = { uid: 'bench', skillId: '-', name: 'API_KEY', binding: '{"origins":[]}' }

/** Prints the times of the import, the first secret, another one, and the first one again. */
const ENTRY = `
import { encryptionSdk } from './adapters/kms/encryption-sdk.ts'
import { rawSecretSeals } from './adapters/kms/raw-seals.ts'
const [key, one, other] = process.argv.slice(2).map((text) => new Uint8Array(Buffer.from(text, 'base64url')))
const seals = rawSecretSeals(() => key)
const context = ${JSON.stringify(CONTEXT)}
const timed = async (work) => {
  const startedAt = performance.now()
  const done = await work()
  if (done.ok === false) throw new Error(done.error.why)
  return performance.now() - startedAt
}
const loadMs = await timed(encryptionSdk)
const firstMs = await timed(() => seals.open(context, one))
const otherMs = await timed(() => seals.open(context, other))
const againMs = await timed(() => seals.open(context, one))
process.stdout.write(JSON.stringify({ loadMs, firstMs, otherMs, againMs }))`

type Times = { readonly [step in 'loadMs' | 'firstMs' | 'otherMs' | 'againMs']: number }

export async function measureFirst(): Promise<void> {
  await measureProcess()
  if (builtRicEntry(ricCacheDir) !== undefined) return measureRuntime()
  console.log(
    'Under AWS’s runtime client: not measured, it is not built (npm run test:lambda does).',
  )
}

async function measureProcess(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-first-'))
  try {
    const stdin = { contents: ENTRY, resolveDir: REPO, sourcefile: 'index.ts' }
    const { outputFiles } = await bundleInto(folder, { stdin })
    for (const { contents, path } of outputFiles) {
      writeFileSync(join(folder, basename(path).replace('stdin', 'index')), contents)
    }
    const args = await sealedArguments()
    // The first run warms the machine's file cache and is not counted.
    const runs = Array.from({ length: SAMPLES + 1 }, () => runOnce(folder, args)).slice(1)
    const of = (step: keyof Times) => runs.map((times) => times[step])
    const all = runs.map(({ firstMs, loadMs }) => loadMs + firstMs)
    printTable(
      ['secrets in a fresh process, key in the process', 'p50 ms', 'p90 ms'],
      [
        row('Encryption SDK imported (sdk-parts.mjs)', of('loadMs')),
        row('first secret opened after that', of('firstMs')),
        row('both: what the first call with a secret pays', all),
        row('another secret opened', of('otherMs')),
        row('the first again, its data key in memory', of('againMs')),
      ],
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The key and two sealed values. */
async function sealedArguments(): Promise<readonly string[]> {
  const key = new Uint8Array(randomBytes(32))
  const seals = rawSecretSeals(() => key)
  const all = [key]
  for (const value of [API_KEY, `${API_KEY}-2`]) {
    const sealed = await seals.seal(CONTEXT, value)
    if (!sealed.ok) throw new Error(sealed.error.why)
    all.push(new Uint8Array(sealed.value))
  }
  return all.map((bytes) => Buffer.from(bytes).toString('base64url'))
}

function runOnce(folder: string, args: readonly string[]): Times {
  const run = spawnSync(process.execPath, [join(folder, 'index.mjs'), ...args], {
    encoding: 'utf8',
    env: {},
  })
  if (run.status !== 0) throw new Error(run.stderr)
  return JSON.parse(run.stdout)
}

async function measureRuntime(): Promise<void> {
  // Calls one after the other in one environment (bench/cold/init.ts).
  const world = await startWorld({ execute: { concurrencyMax: 1 } })
  try {
    await syncSkills(world)
    await syncSkill(world, lockedSkill(world))
    const cold = { plain: [] as number[], locked: [] as number[] }
    const first: number[] = []
    const warm = { plain: [] as number[], locked: [] as number[] }
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      // A user of its own, with its own rate limit.
      const user = await newUser(world, `bench${sample}`, 100)
      await setSecret(world, user, { name: 'API_KEY', value: API_KEY })
      const plain = () => callMs(world, user.key)
      const locked = () => callMs(world, user.key, 'sg_locked')
      await world.execute.killAll()
      cold.locked.push(await locked())
      await world.execute.killAll()
      cold.plain.push(await plain())
      warm.plain.push(await plain())
      first.push(await locked())
      warm.plain.push(await plain())
      warm.locked.push(await locked(), await locked())
    }
    printTable(
      [
        'POST /v1/execute under aws-lambda-ric, embedded store, KMS on loopback',
        'p50 ms',
        'p90 ms',
      ],
      [
        row('cold environment, no secret', cold.plain),
        row('cold environment, one secret', cold.locked),
        row('environment has served calls, its first with a secret', first),
        row('warm, no secret', warm.plain),
        row('warm, one secret', warm.locked),
      ],
    )
  } finally {
    await world.stop()
  }
}

function lockedSkill({ upstream }: World): object {
  const auth = { type: 'bearer', secret: 'API_KEY' }
  return {
    id: 'sg_locked',
    source: 'official',
    meta: {
      name: 'locked',
      description: 'Wants a key.',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
    },
    config: { endpoint: `${upstream.url}/echo`, method: 'GET', auth },
    credits_per_call: 0.5,
  }
}

function row(name: string, values: readonly number[]): readonly string[] {
  return [name, ms(median(values)), ms(percentile(values, 90))]
}
