/** The file that a twin logs to: its size, its mode, what a crash leaves, and what a full disk costs. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findTwinLogFiles, type TwinLogFiles } from '../../../adapters/profiles/twin-log.ts'
import { openLogFile, WAITING_CHARS_MAX } from '../../../local/log/log-file.ts'

let folder = ''
let files: TwinLogFiles
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-log-'))
  files = findTwinLogFiles(folder)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const noFault = (cause: unknown) => expect.fail(String(cause))
let dropped: number[] = []
const onDropped = (count: number) => void dropped.push(count)
beforeEach(() => {
  dropped = []
})

async function written(lines: readonly string[], bytesMax?: number): Promise<void> {
  const more = bytesMax === undefined ? {} : { bytesMax }
  const log = openLogFile(files, { onFault: noFault, onDropped, ...more })
  for (const line of lines) log.write(line)
  await log.close()
}

test('lines are written together after their callers went on, in their order', async () => {
  const log = openLogFile(files, { onFault: noFault, onDropped })
  await expect.poll(() => statSync(files.current, { throwIfNoEntry: false })?.size).toBe(0)
  for (let n = 0; n < 1_000; n += 1) log.write(`${n}\n`)
  expect(statSync(files.current).size).toBe(0)
  await expect.poll(() => readFileSync(files.current, 'utf8').split('\n').length).toBe(1_001)
  log.write('last\n')
  await log.close()
  log.write('too late\n')
  await log.close()
  const lines = readFileSync(files.current, 'utf8').trimEnd().split('\n')
  expect([lines[0], lines[999], lines[1_000], lines.length]).toEqual(['0', '999', 'last', 1_001])
})

test('a log that is exactly full goes on as it is, and the next line begins a new file', async () => {
  await written(['12345\n', '1234\n'], 11)
  expect(readFileSync(files.current, 'utf8')).toBe('12345\n1234\n')
  expect(() => statSync(files.earlier)).toThrow('ENOENT')
  await written(['\n'], 11)
  expect(readFileSync(files.earlier, 'utf8')).toBe('12345\n1234\n')
  expect(readFileSync(files.current, 'utf8')).toBe('\n')
})

test('a line of one byte too many begins a new file, and a third file replaces the first', async () => {
  await written(['12345\n', 'ä4\n'], 9)
  expect(readFileSync(files.earlier, 'utf8')).toBe('12345\n')
  expect(readFileSync(files.current, 'utf8')).toBe('ä4\n')
  await written(['1234567\n', 'x\n'], 9)
  expect(readFileSync(files.earlier, 'utf8')).toBe('1234567\n')
  expect(readFileSync(files.current, 'utf8')).toBe('x\n')
})

test('both files can be read by their owner alone, even where one was there with another mode', async () => {
  writeFileSync(files.current, 'before\n', { mode: 0o644 })
  chmodSync(files.current, 0o644)
  await written(['behind\n'], 7)
  expect(statSync(files.earlier).mode & 0o777).toBe(0o600)
  expect(statSync(files.current).mode & 0o777).toBe(0o600)
})

test('a line that a crash has cut is ended, so that the next one begins a line', async () => {
  writeFileSync(files.current, 'whole\n{"timesta')
  await written(['next\n'])
  expect(readFileSync(files.current, 'utf8')).toBe('whole\n{"timesta\nnext\n')
})

test('as many lines wait as the limit has room for, and later ones are counted', async () => {
  const line = `${'x'.repeat(1_023)}\n`
  const fitting = Array.from({ length: WAITING_CHARS_MAX / line.length }, () => line)
  await written(fitting)
  expect(statSync(files.current).size).toBe(1_048_576)
  rmSync(files.current)
  await written([...fitting, '\n', '\n'])
  expect(statSync(files.current).size).toBe(1_048_576)
  expect(dropped).toEqual([2])
})

test('a folder that is gone is reported once, and the log goes on when it is back', async () => {
  const faults: unknown[] = []
  rmSync(folder, { recursive: true })
  const log = openLogFile(files, { onFault: (cause) => faults.push(cause), onDropped })
  await expect.poll(() => faults.length).toBe(1)
  log.write('lost\n')
  await new Promise((resolve) => setTimeout(resolve, 150))
  mkdirSync(folder)
  log.write('kept\n')
  await expect.poll(() => statSync(files.current, { throwIfNoEntry: false })?.size).toBe(5)
  await log.close()
  expect(faults).toMatchObject([{ code: 'ENOENT' }])
  expect(readFileSync(files.current, 'utf8')).toBe('kept\n')
})

test('a log to which somebody else adds lines loses none of them', async () => {
  const log = openLogFile(files, { onFault: noFault, onDropped })
  log.write('first\n')
  await expect.poll(() => statSync(files.current, { throwIfNoEntry: false })?.size).toBe(6)
  appendFileSync(files.current, 'foreign\n')
  log.write('second\n')
  await log.close()
  expect(readFileSync(files.current, 'utf8')).toBe('first\nforeign\nsecond\n')
})
