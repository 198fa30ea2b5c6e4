/**
 * `npm run pack:cli` builds the command line as an npm package in .cache/skillgate. `npm pack` then
 * makes .cache/skillgate-VERSION.tgz of that folder. The package needs no TypeScript and has no
 * dependencies. It runs on Node 20 and newer, but its twin needs Node 22.13. The script prints the
 * size in bytes and fails if the size is over PACKAGE_BYTES_MAX.
 */
import '../bench/lib/help.ts'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { buildConsole } from '../lib/bundle/console.ts'
import { versionAlone } from '../lib/bundle/version-alone.ts'
import repository from '../package.json' with { type: 'json' }
import { thirdPartyLicenses } from './cli/third-party-licenses.ts'

const REPO = join(import.meta.dirname, '..')
/**
 * Size of the unpacked package, which `npx skillgate` downloads (about a third) and writes before it
 * starts. 1.4 MB are jq, which `--jq` alone loads, and 0.2 MB are the console.
 */
export const PACKAGE_BYTES_MAX = 5_200_000
/** What the scripts of the console hold, beside its own code. */
const CONSOLE_PACKAGES = ['preact', '@preact/signals', '@preact/signals-core']

const { name, version, license, engines } = repository
const LICENSES = 'THIRD-PARTY-LICENSES'

const MANIFEST = {
  name,
  version,
  description: 'The command line of Skillgate, a serverless MCP gateway.',
  license,
  type: 'module',
  bin: { skillgate: 'skillgate.mjs' },
  // npm adds package.json, README.md and LICENSE.
  files: ['*.mjs', 'console', LICENSES],
  engines,
}

const README = `# skillgate

The command line of Skillgate, a serverless MCP gateway. It connects to a gateway, calls its tools and
administers it:

\`\`\`sh
npx skillgate login https://gateway.example.com
npx skillgate connect claude-code
npx skillgate --help
\`\`\`

\`npx skillgate dev\` runs a gateway on your machine, in any folder, and prints what to try. It needs
Node 22.13; everything else needs Node 20.
Apache-2.0, see LICENSE. The licences of bundled packages are in ${LICENSES}.
`

const BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);"

/**
 * Leaves the commands in cli/clone out of the package: they deploy and migrate, which
 * needs a clone of the repository. The plugin compares import texts. The option `external` also
 * compares file paths, so it would exclude all files if the repository's folder were named clone.
 */
const LEAVE_OUT_CLONE: Plugin = {
  name: 'leave-out-clone',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/(clone|lib\/bundle)\// }, ({ path }) => ({ path, external: true }))
  },
}

/** Writes the package into `folder` and resolves to its size in bytes. Deletes `folder` first. */
export async function packCli(folder: string): Promise<number> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const options = {
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    chunkNames: 'part-[hash]',
    // The UMD build of jsonc-parser breaks in a bundle.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    metafile: true,
    absWorkingDir: REPO,
    banner: { js: BANNER },
    logLevel: 'warning',
  } satisfies BuildOptions
  // One build for both entry points, so that the twin and the command line share chunks.
  const { metafile } = await build({
    ...options,
    entryPoints: {
      skillgate: join(REPO, 'cli/main.ts'),
      twin: join(REPO, 'local/main.ts'),
    },
    // The Node build of yaml is CommonJS, and a lazily loaded chunk would not export its names.
    alias: { yaml: join(REPO, 'node_modules/yaml/browser/index.js') },
    plugins: [LEAVE_OUT_CLONE, versionAlone],
  })
  mkdirSync(join(folder, 'console'))
  for (const [file, text] of Object.entries(await buildConsole())) {
    writeFileSync(join(folder, 'console', file), text)
  }
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  const bundled = [...inputs, ...CONSOLE_PACKAGES.map((name) => `node_modules/${name}/`)]
  chmodSync(join(folder, 'skillgate.mjs'), 0o755)
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`)
  writeFileSync(join(folder, 'README.md'), README)
  copyFileSync(join(REPO, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, LICENSES), thirdPartyLicenses(REPO, bundled))
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)
}

if (import.meta.main) {
  const folder = join(REPO, '.cache/skillgate')
  const bytes = await packCli(folder)
  console.log(`${folder}: ${bytes} bytes of ${PACKAGE_BYTES_MAX}`)
  if (bytes > PACKAGE_BYTES_MAX) process.exitCode = 1
}
