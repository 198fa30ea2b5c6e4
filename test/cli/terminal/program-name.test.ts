/** The name of the program in texts for a person: how it is found, and where it is put. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { findProgramName } from '../../../adapters/profiles/program-name.ts'
import { putProgramName } from '../../../cli/terminal/program-name.ts'
import { runLine } from '../test-shell.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-name-'))
  return () => rmSync(home, { recursive: true, force: true })
})

/** Writes the package.json of a folder of npx, and returns the folder of the package in it. */
function fetchByNpx(manifest: object): string {
  const root = join(home, '.npm/_npx/69f91f9de5b70cbf')
  mkdirSync(join(root, 'node_modules/skillgate'), { recursive: true })
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest))
  return join(root, 'node_modules/skillgate')
}

function installTo(folder: string): void {
  mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, folder, 'skillgate'), '')
}

function find(folder: string, path: readonly string[] = []): string {
  const all = path.map((one) => join(home, one)).join(delimiter)
  return findProgramName({ folder, path: all, platform: 'linux' })
}

describe('the name of the program', () => {
  test('is skillgate where the path has it, and npx skillgate elsewhere', () => {
    installTo('bin')
    expect(find('/usr/lib/node_modules/skillgate', ['other', 'bin'])).toBe('skillgate')
    expect(find('/home/ada/clone/cli/terminal', ['other'])).toBe('npx skillgate')
  })

  test('is npx skillgate where only npm has put it on the path', () => {
    installTo('node_modules/.bin')
    expect(find(join(home, 'node_modules/skillgate'), ['node_modules/.bin'])).toBe('npx skillgate')
  })

  test('is what npx was told to fetch', () => {
    installTo('bin')
    const packages = ['skillgate@0.2.0']
    const folder = fetchByNpx({ dependencies: { skillgate: '^0.2.0' }, _npx: { packages } })
    expect(find(folder, ['bin'])).toBe('npx skillgate@0.2.0')
  })

  test('is the file that npx was told to run, from any folder', () => {
    const dependencies = { skillgate: 'file:../../../skillgate-0.2.0.tgz' }
    const folder = fetchByNpx({ dependencies, _npx: { packages: ['../skillgate-0.2.0.tgz'] } })
    expect(find(folder)).toBe(`npx file:${join(home, 'skillgate-0.2.0.tgz')}`)
  })

  test('is npx skillgate where npx has left no note, and quoted where a shell would change it', () => {
    expect(find(join(home, '_npx/x/node_modules/skillgate'))).toBe('npx skillgate')
    const folder = fetchByNpx({ _npx: { packages: ['git+https://x.example/a b'] } })
    expect(find(folder)).toBe("npx 'git+https://x.example/a b'")
  })
})

describe('a text', () => {
  const put = (text: string) =>
    putProgramName(text, 'npx skillgate', new Set(['users', 'connect', '--help', 'COMMAND']))

  test.each([
    ['See skillgate users ls.', 'See npx skillgate users ls.'],
    ["printf '%s' 'x' | skillgate connect", "printf '%s' 'x' | npx skillgate connect"],
    ['skillgate COMMAND --help', 'npx skillgate COMMAND --help'],
    ['skillgate --help', 'npx skillgate --help'],
  ])('names the program in %s', (before, after) => {
    expect(put(before)).toBe(after)
  })

  test.each([
    'use npx skillgate users there',
    'claude mcp add skillgate http://127.0.0.1/mcp',
    'codex mcp add skillgate --url x',
    '~/.config/skillgate users',
    '"skillgate": {',
  ])('keeps %s', (text) => {
    expect(put(text)).toBe(text)
  })
})

test('help, faults and remedies name the program as it was started', async () => {
  const options = { program: 'npx skillgate', home }
  expect((await runLine(['users', 'ls', '--help'], options)).out).toContain(
    '\nnpx skillgate users ls [options]\n',
  )
  expect((await runLine(['--help'], options)).out).toContain('npx skillgate COMMAND --help\n')
  expect(await runLine(['users', 'ls'], options)).toMatchObject({
    code: 4,
    err: expect.stringContaining('sign in with npx skillgate login URL.'),
  })
})
