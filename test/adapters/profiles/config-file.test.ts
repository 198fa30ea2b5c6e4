/** The file of profiles: where it is, who may read it, and what the twin writes into it. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findConfigPath, readConfig, writeConfig } from '../../../adapters/profiles/config-file.ts'
import { writeTwinProfile } from '../../../adapters/profiles/twin-profile.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-profiles-'))
  path = join(folder, 'skillgate/config.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const OWN = {
  adminUrl: 'https://gateway.example.com/v1/admin',
  mcpUrl: 'https://mcp.example.com/mcp',
  credential: { store: 'keyring' },
} as const
const TWIN = {
  origin: 'http://127.0.0.1:8787',
  credential: { store: 'twin', path: '/data' },
} as const

test('the file is in the folder for settings of each system, which XDG_CONFIG_HOME moves', () => {
  const home = '/home/ada'
  expect(findConfigPath({ env: {}, home, platform: 'linux' })).toBe(
    '/home/ada/.config/skillgate/config.json',
  )
  expect(findConfigPath({ env: { XDG_CONFIG_HOME: '/x' }, home, platform: 'darwin' })).toBe(
    '/x/skillgate/config.json',
  )
  expect(findConfigPath({ env: { APPDATA: '/roaming' }, home, platform: 'win32' })).toBe(
    '/roaming/skillgate/config.json',
  )
  expect(findConfigPath({ env: { APPDATA: '/roaming' }, home, platform: 'linux' })).toBe(
    '/home/ada/.config/skillgate/config.json',
  )
})

test('a folder that others may use is closed to them when the file is written', () => {
  mkdirSync(dirname(path), { recursive: true })
  chmodSync(dirname(path), 0o777)
  writeConfig(path, { profiles: { own: OWN } })
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
})

test('a link in the place of the file is replaced, and what it leads to stays', () => {
  mkdirSync(dirname(path), { recursive: true })
  const victim = join(folder, 'victim')
  writeFileSync(victim, '{"profiles":{}}')
  symlinkSync(victim, path)
  symlinkSync(victim, `${path}.${process.pid}.new`)
  writeConfig(path, { profiles: { own: OWN } })
  expect(readFileSync(victim, 'utf8')).toBe('{"profiles":{}}')
  expect(lstatSync(path).isFile()).toBe(true)
})

test('the file and its folder are for their owner alone, and no half-written file stays', () => {
  writeConfig(path, { current: 'own', profiles: { own: OWN } })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  expect(readdirSync(dirname(path))).toEqual(['config.json'])
  expect(readConfig(path)).toEqual({ current: 'own', profiles: { own: OWN } })
})

test('a missing file has no profiles, and a file of another program is named instead of replaced', () => {
  expect(readConfig(path)).toEqual({ profiles: {} })
  writeConfig(path, { profiles: {} })
  for (const text of [
    '{',
    '[]',
    '{"profiles":[]}',
    '{"profiles":{"a":{"adminUrl":1}}}',
    '{"current":1,"profiles":{}}',
  ]) {
    writeFileSync(path, text)
    expect(() => readConfig(path), text).toThrow(`${path} is not a file of profiles`)
    expect(() => writeTwinProfile(path, TWIN)).toThrow()
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('the twin becomes the current profile of a new home, and follows its address', () => {
  expect(writeTwinProfile(path, TWIN)).toBe(true)
  expect(writeTwinProfile(path, { ...TWIN, origin: 'http://127.0.0.1:9' })).toBe(true)
  expect(readConfig(path)).toEqual({
    current: 'local',
    profiles: {
      local: {
        adminUrl: 'http://127.0.0.1:9/v1/admin',
        mcpUrl: 'http://127.0.0.1:9/mcp',
        credential: { store: 'twin', path: '/data' },
        writtenBy: 'twin',
      },
    },
  })
})

test('the twin leaves the current profile and other profiles alone', () => {
  writeConfig(path, { current: 'own', profiles: { own: OWN } })
  expect(writeTwinProfile(path, TWIN)).toBe(true)
  expect(readConfig(path)).toMatchObject({ current: 'own', profiles: { own: OWN, local: {} } })
})

test('the twin does not replace a profile local that a person made', () => {
  writeConfig(path, { current: 'local', profiles: { local: OWN } })
  expect(writeTwinProfile(path, TWIN)).toBe(false)
  expect(readConfig(path)).toEqual({ current: 'local', profiles: { local: OWN } })
})
