/**
 * `npm run pack:cli`: the command line as a package in .cache/skillgate, ready for `npm pack` there. It
 * runs on Node 20 and newer without TypeScript and without dependencies; the twin in it needs
 * Node 22.13. Prints the bytes, and fails when they are over the limit.
 */
import '../bench/lib/help.ts'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { VERSION } from '../adapters/config/version.ts'
import { versionAlone } from '../lib/bundle/version-alone.ts'

const REPO = join(import.meta.dirname, '..')
/** Unpacked: what `npx skillgate` has to fetch and write each time. */
export const PACKAGE_BYTES_MAX = 3_000_000

const MANIFEST = {
  name: 'skillgate',
  version: VERSION,
  description: 'The command line of Skillgate, a serverless MCP gateway.',
  type: 'module',
  bin: { skillgate: 'skillgate.mjs' },
  engines: { node: '>=20' },
}

const README = `# skillgate

The command line of Skillgate, a serverless MCP gateway: \`skillgate --help\`.
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
  const outputs = Object.values(metafile.outputs)
  const main = join(folder, 'skillgate.mjs')
  chmodSync(main, 0o755)
  const manifest = `${JSON.stringify(MANIFEST, null, 2)}\n`
  writeFileSync(join(folder, 'package.json'), manifest)
  writeFileSync(join(folder, 'README.md'), README)
  return outputs.reduce((sum, { bytes }) => sum + bytes, manifest.length + README.length)
}

if (import.meta.main) {
  const folder = join(REPO, '.cache/skillgate')
  const bytes = await packCli(folder)
  console.log(`${folder}: ${bytes} bytes of ${PACKAGE_BYTES_MAX}; npm pack there makes the tarball`)
  if (bytes > PACKAGE_BYTES_MAX) process.exitCode = 1
}
