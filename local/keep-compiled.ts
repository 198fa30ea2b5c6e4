/**
 * `node --import` of it: Node keeps what it compiled of the sources and packages, and a second start takes a
 * third of the CPU time. In the repository's own folder, since any user of the machine may write to Node's
 * default, the system's temporary one. Where that cannot be written, each start compiles anew.
 */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
