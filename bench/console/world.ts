/** A twin with many users and skills, and a page with nothing but a heading. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toNewProfile } from '../../core/flow/users/manage-users.ts'
import { closePort, openPort } from '../../local/http/listen.ts'
import { toStoreFile } from '../../local/store/store.ts'
import { startBenchTwin } from '../lib/start-twin.ts'
import { putSkills, rebuildToolList } from '../registry/skills.ts'
import { openWorldIn } from '../registry/world.ts'

export type ConsoleWorld = {
  /** The origin of the gateway, such as `http://127.0.0.1:8787`. */
  readonly origin: string
  readonly adminKey: string
  /** The URL of the page with nothing but a heading. */
  readonly bareUrl: string
  stop(): Promise<void>
}

/** Writes that share a commit while the store is filled. */
const AT_ONCE = 1_000
const BARE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Bare</title><h1>Bare</h1></html>'

/** Starts both, on a store in a folder of its own. */
export async function openConsoleWorld(users: number, skills: number): Promise<ConsoleWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
  const options = ['--data', folder]
  // The first start makes the folder and its keys.
  await startBenchTwin(options, { users: 0 }).then(({ process }) => process.stop())
  await fill(toStoreFile(folder), users, skills)
  const { process } = await startBenchTwin(options, { users: 0 })
  const bare = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(BARE)
  })
  const port = await openPort(bare, { port: 0, host: '127.0.0.1' })
  return {
    origin: process.ready['url'] ?? '',
    adminKey: process.ready['adminKey'] ?? '',
    bareUrl: `http://127.0.0.1:${port}/`,
    stop: async () => {
      await closePort(bare)
      await process.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The name of a user by its number. */
export function toUsername(index: number): string {
  return `user-${String(index).padStart(7, '0')}`
}

async function fill(file: string, users: number, skills: number): Promise<void> {
  const { ports, stop } = openWorldIn(file)
  const nowMs = ports.clock.nowMs()
  for (let from = 0; from < users; from += AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, users - from) }, (_, at) => {
        const name = toUsername(from + at)
        return ports.profiles.create(
          toNewProfile({ uid: name, username: name, tier: 'free', groups: [] }, nowMs),
        )
      }),
    )
  }
  await putSkills(ports, skills)
  await rebuildToolList(ports)
  await stop()
}
