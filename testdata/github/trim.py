import json,gzip,copy
# Trims GitHub's description of its REST interface to the operations that mrv
# uses: python3 trim.py api.github.com.json, with the file from the npm package
# @octokit/openapi@23.0.2 (MIT, see NOTICE). Writes github-mrv.json as given and
# github-mrv-strict.json, which also refuses unknown keys and wrong values.
import sys
d=json.load(open(sys.argv[1]))
R='/repos/{owner}/{repo}'
keep={
 R:['get'], '/user':['get'], '/rate_limit':['get'],
 R+'/pulls':['get'], R+'/pulls/{pull_number}':['get'], R+'/pulls/{pull_number}/files':['get'], R+'/pulls/{pull_number}/commits':['get'],
 R+'/compare/{basehead}':['get'], R+'/contents/{path}':['get'],
 R+'/pulls/{pull_number}/reviews':['get','post'], R+'/pulls/{pull_number}/reviews/{review_id}':['get','put','delete'],
 R+'/pulls/{pull_number}/reviews/{review_id}/events':['post'], R+'/pulls/{pull_number}/reviews/{review_id}/comments':['get'],
 R+'/pulls/{pull_number}/comments':['get','post'], R+'/pulls/{pull_number}/comments/{comment_id}/replies':['post'],
 R+'/pulls/comments/{comment_id}':['get','patch','delete'],
 R+'/issues/{issue_number}/comments':['get','post'], R+'/issues/comments/{comment_id}':['get','patch','delete'],
 # the gate
 R+'/issues/{issue_number}/labels':['get','post'], R+'/collaborators/{username}/permission':['get'], R+'/commits/{ref}':['get'],
 R+'/commits/{ref}/status':['get'], R+'/branches/{branch}':['get'], R+'/rules/branches/{branch}':['get'],
 # runs of workflows and what they leave
 R+'/actions/runs':['get'], R+'/actions/runs/{run_id}':['get'], R+'/actions/runs/{run_id}/artifacts':['get'],
 '/search/issues':['get'],
 R+'/check-runs':['post'], R+'/check-runs/{check_run_id}':['patch'], R+'/commits/{ref}/check-runs':['get'],
}
META=('example','examples','x-github','x-octokit','externalDocs','tags','summary','x-multi-segment','title','x-github-breaking-changes')
# typed walk: know when a dict is a map of names (properties, schemas...) so that names are never dropped
NAMEMAPS=('properties','schemas','responses','parameters','headers','examples','paths','content','patternProperties')
def strip(o,key=None):
    if isinstance(o,list): return [strip(x) for x in o]
    if not isinstance(o,dict): return o
    isnames = key in ('properties','schemas','responses','headers','paths','content') or (key=='parameters')
    r={}
    for k,v in o.items():
        if not isnames:
            if k in META: continue
            if k=='description':
                if isinstance(v,str) and key in ('#resp',): r[k]=v[:60]
                continue
        ck=k
        if key=='responses': ck='#resp'
        r[k]=strip(v,ck if not (isnames and key!='responses') else '#item')
    return r
paths={}
for p,ms in keep.items():
    paths[p]=strip({k:v for k,v in d['paths'][p].items() if k in ms})
comps={};seen=set();todo=[]
def scan(o):
    if isinstance(o,dict):
        for k,v in o.items():
            if k=='$ref' and isinstance(v,str):
                if v not in seen: seen.add(v); todo.append(v)
            else: scan(v)
    elif isinstance(o,list):
        for x in o: scan(x)
scan(paths)
while todo:
    parts=todo.pop().split('/')[1:]
    o=d
    for q in parts: o=o[q]
    o=strip(o,'#resp' if parts[1]=='responses' else None)
    comps.setdefault(parts[1],{})[parts[2]]=o; scan(o)
out={'openapi':d['openapi'],'info':{'title':d['info']['title'],'version':d['info']['version'],'license':d['info']['license'],'x-source':'npm @octokit/openapi@23.0.2 generated/api.github.com.json, trimmed'},'servers':d['servers'],'paths':paths,'components':comps}
def dump(o,fn):
    s=json.dumps(o,separators=(',',':'),sort_keys=True).encode(); open(fn,'wb').write(s); print(fn,len(s),'gz',len(gzip.compress(s,9)),'ops',sum(len(v) for v in o['paths'].values()),{k:len(v) for k,v in o['components'].items()})
dump(out,'github-mrv.json')
st=copy.deepcopy(out)
def close(s):
    if isinstance(s,dict):
        if s.get('type')=='object' and 'properties' in s and 'additionalProperties' not in s: s['additionalProperties']=False
        for v in s.values(): close(v)
    elif isinstance(s,list):
        for v in s: close(v)
for p,it in st['paths'].items():
    for m,op in it.items():
        rb=op.get('requestBody',{}).get('content',{}).get('application/json',{}).get('schema')
        if rb is not None and '$ref' not in rb: close(rb)
rv=st['paths'][R+'/pulls/{pull_number}/reviews']['post']['requestBody']['content']['application/json']['schema']
it=rv['properties']['comments']['items']['properties']
for k in('side','start_side'): it[k]['enum']=['LEFT','RIGHT']
for k in('line','start_line','position'): it[k]['minimum']=1
for p,m in((R+'/pulls/{pull_number}/reviews','post'),(R+'/pulls/{pull_number}/comments','post'),(R+'/issues/{issue_number}/comments','post'),(R+'/issues/comments/{comment_id}','patch'),(R+'/pulls/comments/{comment_id}','patch')):
    s=st['paths'][p][m]['requestBody']['content']['application/json']['schema']['properties']['body']; s['maxLength']=65536
g=st['paths'][R+'/pulls/{pull_number}']['get']['responses']['200']['content']
for mt in('application/vnd.github.diff','application/vnd.github.patch'): g[mt]={'schema':{'type':'string'}}
dump(st,'github-mrv-strict.json')
