/**
 * Runs in <head>: gives the page storage in memory where the browser forbids its own, because Remix reads it without
 * asking and then finds no route. `isMemory` tells it apart.
 */
export const REPLACE_STORAGE =
  'for(const n of["localStorage","sessionStorage"])try{window[n].length}catch{const m=new Map;Object.defineProperty(window,n,{configurable:true,value:{isMemory:true,getItem:k=>m.get(String(k))??null,setItem:(k,v)=>void m.set(String(k),String(v)),removeItem:k=>void m.delete(String(k)),clear:()=>m.clear(),key:i=>[...m.keys()][i]??null,get length(){return m.size}}})}';
