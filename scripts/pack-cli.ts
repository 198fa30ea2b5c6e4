/**
 * `npm run pack:cli`: the command line as a package in .cache/skillgate, of which `npm pack` then makes
 * .cache/skillgate-VERSION.tgz. It runs on Node 20 and newer without TypeScript and without dependencies; the twin in it needs
 * Node 22.13. Prints the bytes, and fails when they are over the limit.
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
import { versionAlone } from '../lib/bundle/version-alone.ts'
import repository from '../package.json' with { type: 'json' }
import { thirdPartyLicenses } from './cli/third-party-licenses.ts'

const REPO = join(import.meta.dirname, '..')
/** Unpacked: what `npx skillgate` has to fetch and write each time. */
export const PACKAGE_BYTES_MAX = 3_000_000

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
  files: ['*.mjs', LICENSES],
  engines,
}

const README = `# skillgate

The command line of Skillgate, a serverless MCP gateway. It connects to a gateway, calls its tools and
administers it:

\`\`\`sh
skillgate login https://gateway.example.com
skillgate --help
\`\`\`

\`skillgate dev\` runs a gateway on your machine and needs Node 22.13; everything else needs Node 20.
Apache-2.0, see LICENSE. The licences of bundled packages are in ${LICENSES}.
`

const BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);"

/**
 * Leaves out what deploys and migrates, which clones have. It reads imports as they are written: the pattern of `external`
 * would match places as well, and leave out the whole repository if its folder is named clone.
 */
const LEAVE_OUT_CLONE: Plugin = {
  name: 'leave-out-clone',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/clone\// }, ({ path }) => ({ path, external: true }))
  },
}

/** Writes the package into `folder` and answers its bytes. */
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
  // One build, so that the twin and the command line share what both need.
  const { metafile } = await build({
    ...options,
    entryPoints: {
      skillgate: join(REPO, 'cli/main.ts'),
      twin: join(REPO, 'local/main.ts'),
    },
    // Its build for Node is CommonJS, whose names a chunk that is loaded later does not export.
    alias: { yaml: join(REPO, 'node_modules/yaml/browser/index.js') },
    plugins: [LEAVE_OUT_CLONE, versionAlone],
  })
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
  chmodSync(join(folder, 'skillgate.mjs'), 0o755)
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`)
  writeFileSync(join(folder, 'README.md'), README)
  copyFileSync(join(REPO, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, LICENSES), thirdPartyLicenses(REPO, bundled))
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

if (import.meta.main) {
  const folder = join(REPO, '.cache/skillgate')
  const bytes = await packCli(folder)
  console.log(`${folder}: ${bytes} bytes of ${PACKAGE_BYTES_MAX}`)
  if (bytes > PACKAGE_BYTES_MAX) process.exitCode = 1
}
