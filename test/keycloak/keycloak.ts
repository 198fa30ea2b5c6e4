/**
 * Keycloak on 127.0.0.1, from Maven (177 MB, once, into .cache). Needs Maven and Java 17; throws with Maven's
 * own message when it cannot be installed, so that no run passes without it.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { until } from '../e2e/wait.ts'
import { REALM } from './realm.ts'

const VERSION = '26.7.3'
const FOLDER = join(import.meta.dirname, '../../.cache/keycloak')
const PROGRAM = join(FOLDER, `keycloak-${VERSION}`)
const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack'
const ARTIFACT = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`
const INSTALL_MS_MAX = 600_000
/** The first start builds itself: 50 s on a quiet machine. */
const START_MS_MAX = 300_000

export type Keycloak = { readonly issuer: string; stop(): Promise<void> }

/** `realm`: as Keycloak exports one. Nothing of an earlier run is kept. */
export async function startKeycloak(realm: object): Promise<Keycloak> {
  installKeycloak()
  rmSync(join(PROGRAM, 'data'), { recursive: true, force: true })
  mkdirSync(join(PROGRAM, 'data/import'), { recursive: true })
  writeFileSync(join(PROGRAM, 'data/import', `${REALM}-realm.json`), JSON.stringify(realm))
  const port = await findPort()
  const args = ['start-dev', '--http-host=127.0.0.1', `--http-port=${port}`, '--import-realm']
  // A group of its own: the script starts Java, which has to end with it.
  const child = spawn(join(PROGRAM, 'bin/kc.sh'), args, { detached: true })
  const kill = () => process.kill(-(child.pid ?? Number.NaN), 'SIGKILL')
  process.once('exit', kill)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
  }
  const exited = once(child, 'exit')
  const issuer = `http://127.0.0.1:${port}/realms/${REALM}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`Keycloak ended: ${output.slice(-2_000)}`)
    const url = `${issuer}/.well-known/openid-configuration`
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    return isReady ? true : undefined
  }, START_MS_MAX)
  return {
    issuer,
    stop: async () => {
      process.off('exit', kill)
      kill()
      await exited
    },
  }
}

function installKeycloak(): void {
  const stamp = join(FOLDER, `installed-${VERSION}`)
  if (existsSync(stamp)) return
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const args = ['-B', '-ntp', '-q', UNPACK, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${FOLDER}`]
  const run = spawnSync('mvn', args, { cwd: FOLDER, encoding: 'utf8', timeout: INSTALL_MS_MAX })
  const output = `${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}`
  if (run.status !== 0) throw new Error(`Maven did not bring Keycloak: ${output.slice(-2_000)}`)
  writeFileSync(stamp, '')
}

/** A port that is free now. Keycloak does not tell which one it takes. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
