/** The file of stages: where it is looked for, and what is said about one that cannot be read. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readStagesFile } from '../../../adapters/stages/config-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'skillgate-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

const stageOf = (name: string) => JSON.stringify({ stages: { [name]: { like: 'dev' } } })

function write(path: string, text: string | Buffer): string {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

const namesOf = (place: Parameters<typeof readStagesFile>[0]) => [
  ...readStagesFile(place).records.keys(),
]

describe('the place', () => {
  const option = write('option.json', stageOf('by-option'))
  const variable = write('variable.json', stageOf('by-variable'))
  write('with/skillgate.config.json', stageOf('by-folder'))
  mkdirSync(join(folder, 'without'))
  const [cwd, without] = [join(folder, 'with'), join(folder, 'without')]
  const env = { SKILLGATE_CONFIG: variable }

  test('of an option comes before that of the variable, and both before the working folder', () => {
    expect(namesOf({ given: option, env, cwd })).toEqual(['by-option'])
    expect(namesOf({ env, cwd })).toEqual(['by-variable'])
    expect(namesOf({ env: {}, cwd })).toEqual(['by-folder'])
    expect(namesOf({ given: '../option.json', env, cwd })).toEqual(['by-option'])
  })

  test('without a file has the built-in stages alone', () => {
    expect(readStagesFile({ env: { SKILLGATE_CONFIG: '' }, cwd: without })).toEqual({
      path: undefined,
      shown: 'skillgate.config.json',
      records: new Map(),
    })
  })

  test('that somebody named and that has no file is a fault', () => {
    expect(() => readStagesFile({ given: 'nope.json', env: {}, cwd: without })).toThrow(
      /^nope\.json: does not exist; skillgate init writes it there$/,
    )
    expect(() => readStagesFile({ given: cwd, env: {}, cwd: folder })).toThrow(
      /^with: cannot be read$/,
    )
  })
})

describe('a file', () => {
  const faultOf = (text: string | Buffer) => {
    write('faulty/skillgate.config.json', text)
    try {
      readStagesFile({ env: {}, cwd: join(folder, 'faulty') })
      return undefined
    } catch (cause) {
      return cause instanceof Error ? cause.message : cause
    }
  }

  test.each([
    ['{\n  // dev\n  "stages": {}\n}', '2, column 3: JSON has no comments; remove this one'],
    ['{\n  "stages": {},\n}', '2, column 15: this comma is one too many; nothing follows it'],
    [
      '{"stages": {"dev": {"login": yes}}}',
      '1, column 30: this is not a value; a text is in double quotes',
    ],
    [
      '{"stages": {',
      '1, column 13: the object that opens at line 1, column 12 is not closed; add }',
    ],
  ])('that is not JSON, %j, is refused with the place and what is wrong there', (text, fault) => {
    expect(faultOf(text)).toBe(`skillgate.config.json: is not JSON at line ${fault}`)
  })

  test('that gives a name twice is refused', () => {
    expect(faultOf('{"stages": {"dev": {}, "dev": {"login": true}}}')).toBe(
      'skillgate.config.json at /stages/dev: the name is given twice in one object; send it once',
    )
  })

  test('that names __proto__ is refused', () => {
    expect(faultOf('{"stages": {"__proto__": {"like": "dev"}}}')).toMatch(
      /^skillgate\.config\.json at \/stages/,
    )
  })

  test('with a byte order mark is read, and one in another encoding is refused by its name', () => {
    expect(faultOf(`\uFEFF${stageOf('eu')}`)).toBe(undefined)
    const utf16 = Buffer.from(`\uFEFF${stageOf('eu')}`, 'utf16le')
    expect(faultOf(utf16)).toBe(
      'skillgate.config.json: is encoded in UTF-16 (little endian); encode it as UTF-8',
    )
    expect(faultOf(Buffer.from([0x7b, 0xff, 0x7d]))).toBe(
      'skillgate.config.json: is not valid UTF-8; send JSON encoded as UTF-8',
    )
  })

  test('that is empty is refused', () => {
    expect(faultOf(' ')).toBe('skillgate.config.json: is empty; send one JSON value')
  })

  test('with wrong fields is refused with all of them', () => {
    expect(faultOf('{"stages": {"dev": {"logn": true, "holdsMax": 0}}}')).toBe(
      'skillgate.config.json does not fit:\n' +
        '  stages.dev.logn: is no field of a stage; did you mean login?\n' +
        '  stages.dev.holdsMax: is 0; give a whole number from 1 to 200',
    )
  })
})
