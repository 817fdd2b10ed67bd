/**
 * Finds uses of the outside world that need no import: time, chance, timers, processes, the network. Through a host
 * they can be simulated; used directly they make a crash test a lottery.
 */

import ts from "typescript";
import { layerOf } from "./find-layer-violations.ts";
import type { TextFile } from "./project.ts";
import { parse } from "./read-imports.ts";
import type { PackageRules } from "./layer-rules.ts";

const GLOBALS = new Set([
  "process",
  "performance",
  "console",
  "crypto",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "globalThis",
  "global",
]);
const MEMBERS = new Set(["Date.now", "Math.random"]);

export function findWorldUses(files: readonly TextFile[], rules: PackageRules): string[] {
  if (rules.touchesWorld.includes("*")) return [];
  return files
    .filter((file) => !rules.touchesWorld.includes(layerOf(file.path, rules) ?? ""))
    .flatMap((file) => usesIn(file, rules.worldExceptions[file.path] ?? []));
}

function usesIn(file: TextFile, excepted: readonly string[]): string[] {
  const source = parse(file);
  const uses: string[] = [];
  const visit = (node: ts.Node): void => {
    const use = useOf(node, source);
    if (use !== undefined && !excepted.includes(use)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      uses.push(`${file.path}:${line}: ${use} touches the outside world; ask the host`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return uses;
}

function useOf(node: ts.Node, source: ts.SourceFile): string | undefined {
  if (ts.isNewExpression(node) && isNamed(node.expression, "Date")) {
    return (node.arguments ?? []).length === 0 ? "new Date()" : undefined;
  }
  if (ts.isCallExpression(node) && isNamed(node.expression, "Date")) return "Date()";
  if (ts.isPropertyAccessExpression(node)) {
    const text = node.getText(source);
    return MEMBERS.has(text) ? text : undefined;
  }
  if (!ts.isIdentifier(node) || !GLOBALS.has(node.text) || !isReference(node)) return undefined;
  const { parent } = node;
  return ts.isPropertyAccessExpression(parent) ? parent.getText(source) : node.text;
}

function isNamed(node: ts.Expression, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

/** Not the name of a member, not a type, and not something that this file itself declares around that place. */
function isReference(node: ts.Identifier): boolean {
  const parent = node.parent as ts.Node & { readonly name?: ts.Node };
  if (parent.name === node || ts.isPartOfTypeNode(node) || ts.isQualifiedName(parent)) return false;
  return !isDeclaredAround(node);
}

function isDeclaredAround(node: ts.Identifier): boolean {
  const declares = (declaration: ts.NamedDeclaration): boolean => declaration.name?.getText() === node.text;
  for (let scope: ts.Node = node.parent; !ts.isSourceFile(scope); scope = scope.parent) {
    if (ts.isFunctionLike(scope) && scope.parameters.some(declares)) return true;
    if (ts.isBlock(scope) && scope.statements.some((statement) => variablesOf(statement).some(declares)))
      return true;
    if ((ts.isForOfStatement(scope) || ts.isForStatement(scope)) && variablesOf(scope).some(declares))
      return true;
  }
  return false;
}

function variablesOf(node: ts.Node): readonly ts.VariableDeclaration[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations;
  if (!ts.isForOfStatement(node) && !ts.isForStatement(node)) return [];
  const { initializer } = node;
  return initializer !== undefined && ts.isVariableDeclarationList(initializer)
    ? initializer.declarations
    : [];
}
