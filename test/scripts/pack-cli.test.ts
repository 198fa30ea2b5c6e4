/** The package of the command line: it runs outside a clone, by itself, and stays small. */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PACKAGE_BYTES_MAX, packCli } from '../../scripts/pack-cli.ts'

const PETS = 'examples/openapi/pets.yaml'

let folder = ''
let bytes = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-pack-'))
  bytes = await packCli(join(folder, 'package'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(...args: readonly string[]) {
  const main = join(folder, 'package/skillgate.mjs')
  const env = { PATH: '', XDG_CONFIG_HOME: folder }
  return spawnSync(process.execPath, [main, ...args], { cwd: folder, env, encoding: 'utf8' })
}

test('the package has at most 3 MB, no TypeScript, and names the version of the repository', () => {
  expect(bytes).toBeLessThanOrEqual(PACKAGE_BYTES_MAX)
  expect(globSync('**/*.ts', { cwd: folder })).toEqual([])
  const { version } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
  expect(run('--version').stdout).toBe(`${version}\n`)
  expect(JSON.parse(readFileSync('package.json', 'utf8')).version).toBe(version)
})

test('the package has every command, and the twin, without packages beside it', () => {
  expect(run('--help').stdout).toContain('connect')
  expect(run('connect', '--list', '--json').status).toBe(0)
  expect(run('dev', '--', '--help').stdout).toContain('--no-profile')
})

test('the package reads YAML, which is loaded when a document comes', () => {
  const { status, stderr } = run('import', 'openapi', 'plan', resolve(PETS), '--prefix', 'pets')
  expect([status, stderr.split('\n')[0]]).toEqual([4, 'There is no profile yet.'])
})

test.each([['deploy'], ['diff'], ['destroy', '--yes'], ['migrate', '--', '--help']])(
  'the package says of %s that it needs a clone',
  (...words) => {
    const { status, stderr, stdout } = run(...words)
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      'This command needs a clone of the repository.\nClone it, run npm ci, and use npx skillgate there.\n',
    ])
  },
)

test('the package has nothing of what needs a clone', () => {
  const texts = globSync('package/*.mjs', { cwd: folder }).map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  )
  for (const ofClone of [
    'cdk deploy --all',
    'npm run preflight',
    'npm run smoke',
    'npm run migrate --',
  ]) {
    expect(texts.filter((text) => text.includes(ofClone))).toEqual([])
  }
})
