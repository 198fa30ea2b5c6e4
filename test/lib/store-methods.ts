/** The methods of the store ports, and the ports that a function asks for, read from the code. */
import ts from 'typescript'
import { sourceFile } from './door-program.ts'

export type Method = { readonly port: string; readonly method: string }

/** Every method of every port of core/ports/ports.ts `StorePorts`, by the node that declares it. */
export function storeMethods(program: ts.Program): ReadonlyMap<ts.Node, Method> {
  const checker = program.getTypeChecker()
  const alias = sourceFile(program, 'core/ports/ports.ts').statements.find(
    (node) => ts.isTypeAliasDeclaration(node) && node.name.text === 'StorePorts',
  )
  if (alias === undefined) throw new Error('core/ports/ports.ts: declares no StorePorts')
  return new Map(
    checker
      .getTypeAtLocation(alias)
      .getProperties()
      .flatMap((port) =>
        checker
          .getTypeOfSymbol(port)
          .getProperties()
          .flatMap((method) =>
            (method.declarations ?? []).map(
              (node) => [node, { port: port.name, method: method.name }] as const,
            ),
          ),
      ),
  )
}

/** The store ports among those that a door's function takes first. */
export function askedOf(program: ts.Program, path: string, name: string): readonly string[] {
  const checker = program.getTypeChecker()
  const ports = new Set([...storeMethods(program).values()].map(({ port }) => port))
  const door = sourceFile(program, path).statements.find(
    (node) => ts.isFunctionDeclaration(node) && node.name?.text === name,
  )
  if (door === undefined || !ts.isFunctionDeclaration(door)) throw new Error(`${path}: no ${name}`)
  const [asked] = door.parameters
  if (asked === undefined) throw new Error(`${path}: ${name} takes no ports`)
  const names = checker
    .getTypeAtLocation(asked)
    .getProperties()
    .map((port) => port.name)
  return names.filter((port) => ports.has(port)).sort()
}
