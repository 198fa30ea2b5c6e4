/** The package of the command line: it runs outside a clone, by itself, and stays small. npm packs and runs it without a network. */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERSION } from '../../adapters/config/version.ts'
import { thirdPartyLicenses } from '../../scripts/cli/third-party-licenses.ts'
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

test('the package has at most 5.2 MB, no TypeScript, and the version of the repository', () => {
  expect(bytes).toBeLessThanOrEqual(PACKAGE_BYTES_MAX)
  expect(globSync('**/*.ts', { cwd: folder })).toEqual([])
  expect(run('--version').stdout).toBe(`${VERSION}\n`)
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

/** npm in an empty folder, with a cache and settings of its own. */
function npm(program: 'npm' | 'npx', ...args: readonly string[]) {
  const home = join(folder, 'empty')
  mkdirSync(home, { recursive: true })
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
  }
  return spawnSync(program, args, { cwd: home, env, encoding: 'utf8' })
}

test('npm packs the package, and npx runs the tarball in an empty folder without a network', () => {
  const { stdout: report } = npm('npm', 'pack', '--json', join(folder, 'package'))
  const [{ filename, files, name, version }] = JSON.parse(report)
  expect([filename, name, version]).toEqual([`skillgate-${VERSION}.tgz`, 'skillgate', VERSION])
  const paths: string[] = files.map(({ path }: { readonly path: string }) => path)
  expect(
    paths.filter((path) => !/^part-\w+\.mjs$|^console\/[\w-]+\.(?:js|css)$/.test(path)).sort(),
  ).toEqual([
    'LICENSE',
    'README.md',
    'THIRD-PARTY-LICENSES',
    'console/index.html',
    'package.json',
    'skillgate.mjs',
    'twin.mjs',
  ])
  const npx = ['--offline', '--yes', '--package', `./${filename}`, 'skillgate']
  expect(npm('npx', ...npx, '--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n` })
  const help = npm('npx', ...npx, '--help')
  expect([help.status, help.stdout.split(':')[0]]).toEqual([0, `Skillgate ${VERSION}`])
})

test('the manifest of the package has its license, its command and the Node that it needs', () => {
  expect(JSON.parse(readText('package.json'))).toEqual({
    name: 'skillgate',
    version: VERSION,
    description: 'The command line of Skillgate, a serverless MCP gateway.',
    license: 'Apache-2.0',
    type: 'module',
    bin: { skillgate: 'skillgate.mjs' },
    files: ['*.mjs', 'console', 'THIRD-PARTY-LICENSES'],
    engines: { node: '>=20' },
  })
  expect(readText('LICENSE')).toBe(readFileSync('LICENSE', 'utf8'))
})

test('the package has the licences of what it bundles, and of nothing else', () => {
  const text = readText('THIRD-PARTY-LICENSES')
  const parts = text.split(/^-{80}$/m).map((part) => part.trim())
  const partOf = (name: string) => parts.find((part) => part.startsWith(`${name} `)) ?? ''
  expect(partOf('yaml')).toContain('Copyright Eemeli Aro')
  expect(partOf('saxes')).toContain('Licensed under ISC, by Louis-Dominique Dubeau')
  const names = [...text.matchAll(/^(\S+) \d+\.\d+\.\d+$/gm)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(['@aws-sdk/core', 'preact', '@preact/signals']))
  const ofClone = ['aws-cdk-lib', 'esbuild', 'typescript', 'vitest']
  expect(names.filter((name = '') => ofClone.includes(name))).toEqual([])
})

test('a bundled package without any licence is refused', () => {
  const of = join(folder, 'node_modules/unlicensed')
  mkdirSync(of, { recursive: true })
  writeFileSync(join(of, 'package.json'), '{"name":"unlicensed","version":"1.0.0"}')
  expect(() => thirdPartyLicenses(folder, ['core/a.ts', 'node_modules/unlicensed/a.js'])).toThrow(
    'unlicensed has no licence: bundle another package, or ask its authors',
  )
})

function readText(file: string): string {
  return readFileSync(join(folder, 'package', file), 'utf8')
}
