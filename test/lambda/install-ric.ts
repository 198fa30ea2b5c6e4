// Builds aws-lambda-ric for `npm run test:lambda` into .cache/ric, from the lock file in ./ric.
// Reuses an earlier build of the same lock file. Names missing tools and exits 1; never skips. It
// compiles a static curl and a Node-API addon: about a minute on two cores.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import {
  builtRicEntry,
  nodeBinary,
  nodeHeadersDir,
  repositoryDir,
  ricCacheDir,
  ricManifestDir,
  ricVersion,
} from './paths.ts'

const buildMsMax = 15 * 60_000
const logBytesMax = 256 * 1024 * 1024
const manifestFiles = ['package.json', 'package-lock.json']

/** One tool per line; any of the names will do. */
const toolNames = [
  ['cmake', 'cmake3'],
  ['g++'],
  ['gcc', 'cc'],
  ['make'],
  ['python3', 'python'],
  ['tar'],
  ['xz'],
]
const remedy = [
  'Debian, Ubuntu: apt-get install -y cmake g++ make python3 xz-utils',
  'Fedora, Amazon Linux: dnf install -y cmake gcc-c++ make python3 xz',
  'Alpine: apk add cmake g++ make python3 xz linux-headers',
].join(' · ')

function say(line: string): void {
  process.stderr.write(`test:lambda: ${line}\n`)
}

function fail(line: string): never {
  say(line)
  process.exit(1)
}

/** Another lock file, machine or Node line needs another build. */
function stampOfThisBuild(): string {
  const hash = createHash('sha256')
  for (const file of manifestFiles) hash.update(readFileSync(join(ricManifestDir, file)))
  hash.update(`${process.platform} ${process.arch} ${nodeBinary()}`)
  return hash.digest('hex')
}

function isBuilt(stamp: string): boolean {
  const stampFile = join(ricCacheDir, 'built')
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) return false
  return builtRicEntry(ricCacheDir) !== undefined
}

function isOnPath(name: string, searchPath: string): boolean {
  return searchPath.split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function refuseWithoutTools(searchPath: string): void {
  if (process.platform !== 'linux') {
    fail(`aws-lambda-ric ${ricVersion} builds on Linux only; run this suite in CI or a Linux VM`)
  }
  const missing = toolNames.filter((names) => !names.some((name) => isOnPath(name, searchPath)))
  if (missing.length === 0) return
  const names = missing.map(([name]) => name).join(', ')
  fail(`aws-lambda-ric is compiled here and needs ${names}, not found on the PATH. ${remedy}`)
}

/** npm 11.19 runs an install script only when allowScripts in the manifest names the package. */
function buildInto(dir: string, env: NodeJS.ProcessEnv): void {
  mkdirSync(dir, { recursive: true })
  for (const file of manifestFiles) cpSync(join(ricManifestDir, file), join(dir, file))
  const npmrc = join(repositoryDir, '.npmrc')
  if (existsSync(npmrc)) cpSync(npmrc, join(dir, '.npmrc'))
  writeFileSync(join(dir, '.gitignore'), '*\n')
  const run = spawnSync('npm', ['ci', '--foreground-scripts'], {
    cwd: dir,
    env,
    encoding: 'utf8',
    timeout: buildMsMax,
    maxBuffer: logBytesMax,
  })
  const output = `${run.stdout ?? ''}${run.stderr ?? ''}`
  writeFileSync(join(dir, 'build.log'), output)
  if (run.status === 0) return
  const tail = output.trimEnd().split('\n').slice(-40).join('\n')
  const cause = run.error?.message ?? `npm ci ended with ${run.status ?? run.signal}`
  fail(`${cause}; whole log in ${join(dir, 'build.log')}\n${tail}`)
}

function install(): void {
  const stamp = stampOfThisBuild()
  if (isBuilt(stamp)) {
    say(`aws-lambda-ric ${ricVersion}: reusing ${ricCacheDir}`)
    return
  }
  const callerEnv = process.env
  const callerPath = callerEnv['PATH'] ?? ''
  refuseWithoutTools(callerPath)
  const headersDir = nodeHeadersDir()
  const env = {
    ...callerEnv,
    PATH: `${dirname(nodeBinary())}${delimiter}${callerPath}`,
    ...(headersDir === undefined ? {} : { npm_config_nodedir: headersDir }),
  }
  const startedMs = Date.now()
  const buildDir = `${ricCacheDir}.building-${process.pid}`
  say(`building aws-lambda-ric ${ricVersion}, once, about a minute`)
  buildInto(buildDir, env)
  if (builtRicEntry(buildDir) === undefined) fail(`npm ci left no addon in ${buildDir}`)
  writeFileSync(join(buildDir, 'built'), stamp)
  rmSync(ricCacheDir, { recursive: true, force: true })
  renameSync(buildDir, ricCacheDir)
  say(`built in ${Math.round((Date.now() - startedMs) / 1000)} s`)
}

install()
