/** `skillgate logs` on the log of a twin's folder: cut lines, rotations while it follows, and filters. */
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findTwinLogFiles, type TwinLogFiles } from '../../adapters/profiles/twin-log.ts'
import { matchesFilter } from '../../cli/logs/call-filter.ts'
import { followTwinLog, type TwinLogReader } from '../../cli/logs/twin-log.ts'
import { openLogFile } from '../../local/log/log-file.ts'

let folder = ''
let files: TwinLogFiles
let reader: TwinLogReader
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillgate-log-'))
  files = findTwinLogFiles(folder)
  reader = followTwinLog(files, {})
})
afterEach(async () => {
  await reader.close()
  rmSync(folder, { recursive: true, force: true })
})

function line(name: string): string {
  return `${JSON.stringify({ timestamp: '2026-11-23T00:00:00.000Z', event: name })}\n`
}

function openLog(more: { readonly bytesMax?: number } = {}) {
  const fails = (cause: unknown) => expect.fail(String(cause))
  return openLogFile(files, { onFault: fails, onDropped: fails, ...more })
}

async function poll(): Promise<readonly unknown[] | undefined> {
  return (await reader.poll())?.map(({ fields }) => fields['event'])
}

describe('the log of a twin', () => {
  test('is absent until the twin has begun it', async () => {
    expect(await poll()).toBeUndefined()
    writeFileSync(files.current, '')
    expect(await poll()).toEqual([])
    appendFileSync(files.current, line('a'))
    expect(await poll()).toEqual(['a'])
  })

  test('begins with the earlier file, and each line is read once', async () => {
    writeFileSync(files.earlier, line('a') + line('b'))
    writeFileSync(files.current, line('c'))
    expect(await poll()).toEqual(['a', 'b', 'c'])
    expect(await poll()).toEqual([])
    appendFileSync(files.current, line('d'))
    expect(await poll()).toEqual(['d'])
  })

  test('a last line that is still being written waits for its end', async () => {
    const [begin, end] = [line('ä').slice(0, -5), line('ä').slice(-5)]
    writeFileSync(files.current, line('a') + begin)
    expect(await poll()).toEqual(['a'])
    appendFileSync(files.current, end + line('b'))
    expect(await poll()).toEqual(['ä', 'b'])
  })

  test('a line that a crash has cut is left out, and those around it are not', async () => {
    writeFileSync(files.current, `${line('a')}${line('b').slice(0, 20)}`)
    expect(await poll()).toEqual(['a'])
    const log = openLog()
    log.write(line('c'))
    await log.close()
    expect(await poll()).toEqual(['c'])
    await reader.close()
    reader = followTwinLog(files, {})
    expect(await poll()).toEqual(['a', 'c'])
  })

  test('a rotation between two looks loses no line and repeats none', async () => {
    writeFileSync(files.current, line('a'))
    expect(await poll()).toEqual(['a'])
    appendFileSync(files.current, line('b'))
    renameSync(files.current, files.earlier)
    expect(await poll()).toEqual(['b'])
    writeFileSync(files.current, line('c'))
    expect(await poll()).toEqual(['c'])
    expect(await poll()).toEqual([])
  })

  test('two rotations between two looks lose no line either', async () => {
    writeFileSync(files.current, line('a'))
    expect(await poll()).toEqual(['a'])
    for (const name of ['b', 'c']) {
      appendFileSync(files.current, line(name))
      renameSync(files.current, files.earlier)
    }
    writeFileSync(files.current, line('d'))
    expect(await poll()).toEqual(['b', 'c', 'd'])
  })

  test('a log that somebody empties is read from its beginning', async () => {
    writeFileSync(files.current, line('a') + line('b'))
    await poll()
    writeFileSync(files.current, line('c'))
    expect(await poll()).toEqual(['c'])
  })

  test('every line is read once and in order while the twin writes and rotates', async () => {
    const bytesMax = 20 * line('1000').length
    const log = openLog({ bytesMax })
    const seen: unknown[] = []
    let next = 1_000
    while (next < 1_400) {
      for (let n = 0; n < 10; n += 1) log.write(line(String(next++)))
      // At most one file becomes full between two looks.
      await expect
        .poll(async () => {
          seen.push(...((await poll()) ?? []))
          return seen.length
        })
        .toBe(next - 1_000)
    }
    await log.close()
    expect(seen).toEqual(Array.from({ length: 400 }, (_, n) => String(1_000 + n)))
  })
})

describe('filters', () => {
  const call = {
    event: 'call',
    uid: 'ada',
    skillId: 'sg_weather',
    outcome: 'refused',
    code: 'rate_limited',
  }
  const unknown = { event: 'call-refused', callId: 'c1', code: 'unauthenticated' }
  test.each([
    [{}, call, true],
    [{}, { event: 'sweep-done' }, true],
    [{ user: 'ada' }, call, true],
    [{ user: 'bob' }, call, false],
    [{ skill: 'sg_weather', outcome: 'rate_limited' }, call, true],
    [{ skill: 'sg_echo' }, call, false],
    [{ outcome: 'refused' }, call, true],
    [{ outcome: 'settled' }, call, false],
    [{ outcome: 'refused' }, unknown, true],
    [{ outcome: 'refused', user: 'ada' }, unknown, false],
    [{ outcome: 'settled' }, unknown, false],
    [{ user: 'ada' }, { event: 'key-issued', uid: 'ada' }, false],
  ])('the filter %j asks for the line %j: %s', (filter, fields, is) => {
    expect(matchesFilter(filter, fields)).toBe(is)
  })
})
